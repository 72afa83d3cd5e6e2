//! The GGUF reader on good files and on every kind of bad one.

use crate::support::{BOOT_MODEL, GgufBytes, bytes, engine};
use midline::error::Error;
use midline::gguf::{Gguf, Value};
use midline::quant::Format;

fn code(file: &[u8]) -> &'static str {
    Gguf::parse(&file.to_vec()).expect_err("a bad file").code()
}

fn error(file: GgufBytes) -> Error {
    Gguf::parse(&file.0).expect_err("a bad file")
}

fn small(version: u32) -> GgufBytes {
    GgufBytes::new(version, 2, 3)
        .string_entry("general.architecture", "llama")
        .entry("a.float", 6, &1.5_f32.to_le_bytes())
        .entry("a.byte", 0, &[7])
        .tensor("first", &[32, 2], 2, 0)
        .tensor("second", &[3], 0, 64)
        .data(64 + 12)
}

#[test]
fn reads_versions_2_and_3() {
    for version in [2, 3] {
        let gguf = Gguf::parse(&small(version).0).expect("a good file");
        assert_eq!(gguf.version, version);
        assert_eq!(gguf.metadata.string("general.architecture"), Ok("llama"));
        assert_eq!(gguf.metadata.get("a.float"), Some(&Value::Float(1.5)));
        assert_eq!(gguf.metadata.usize("a.byte"), Ok(7));
        let first = gguf.tensor("first").expect("in the table");
        assert_eq!((first.format, first.bytes, first.offset % 32), (Format::Q4_0, 36, 0));
        let second = gguf.tensor("second").expect("in the table");
        assert_eq!((second.format, second.bytes, second.offset), (Format::F32, 12, first.offset + 64));
    }
}

#[test]
fn every_truncation_is_a_typed_error() {
    let file = small(3).0;
    for length in 0..file.len() {
        let found = code(&file[..length]);
        let expected = if length < 4 { "gguf-magic" } else { "gguf-truncated" };
        assert_eq!(found, expected, "cut at {length}");
    }
}

#[test]
fn the_default_model_cut_anywhere_is_a_typed_error() {
    let file = bytes(BOOT_MODEL);
    let head: Vec<usize> = (0..2_000).chain((2_000..300_000).step_by(997)).collect();
    let tail = (300_000..file.len()).step_by(100_003).chain([file.len() - 1]);
    for length in head.into_iter().chain(tail) {
        let found = engine(&file[..length]).err().map(|error| error.code());
        assert!(matches!(found, Some("gguf-magic" | "gguf-truncated")), "cut at {length}: {found:?}");
    }
}

#[test]
fn other_files_are_refused_with_what_was_found() {
    let found = |file: &[u8]| Gguf::parse(&file.to_vec()).expect_err("bad").found();
    assert_eq!(found(b"").as_deref(), Some("an empty file"));
    assert_eq!(code(b"<!doctype html><title>404</title>"), "gguf-magic");
    assert_eq!(code(b"FUGG\x03\0\0\0"), "gguf-magic");
    for version in [0, 1, 4, u32::MAX, 3_u32.swap_bytes()] {
        assert_eq!(error(GgufBytes::new(version, 0, 0)), Error::GgufVersion { found: version });
    }
}

#[test]
fn absurd_counts_and_lengths_are_refused_before_any_allocation() {
    assert_eq!(code(&GgufBytes::new(3, u64::MAX, 0).0), "gguf-limit");
    assert_eq!(code(&GgufBytes::new(3, 0, u64::MAX).0), "gguf-limit");
    assert_eq!(code(&GgufBytes::new(3, 60_000, 0).0), "gguf-truncated");
    let long_key = GgufBytes::new(3, 0, 1).raw(&u64::MAX.to_le_bytes());
    assert_eq!(error(long_key).code(), "gguf-limit");
    let key_past_end = GgufBytes::new(3, 0, 1).raw(&1_000_u64.to_le_bytes()).raw(b"short");
    assert_eq!(error(key_past_end).code(), "gguf-truncated");
    for (count, expected) in [(u64::MAX, "gguf-limit"), (60, "gguf-truncated")] {
        let mut array = 4_u32.to_le_bytes().to_vec();
        array.extend(count.to_le_bytes());
        assert_eq!(error(GgufBytes::new(3, 0, 1).entry("numbers", 9, &array)).code(), expected);
    }
}

#[test]
fn bad_metadata_is_refused() {
    let one =
        |value_type: u32, value: &[u8]| error(GgufBytes::new(3, 0, 1).entry("key", value_type, value)).code();
    assert_eq!(one(13, &[0; 8]), "gguf-metadata");
    assert_eq!(one(7, &[2]), "gguf-metadata");
    assert_eq!(one(9, &[9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]), "gguf-metadata");
    let not_utf8 = GgufBytes::new(3, 0, 1).raw(&2_u64.to_le_bytes()).raw(&[0xff, 0xfe]);
    assert_eq!(error(not_utf8).code(), "gguf-metadata");
    let twice = GgufBytes::new(3, 0, 2).entry("key", 0, &[1]).entry("key", 0, &[1]);
    assert_eq!(error(twice).code(), "gguf-metadata");
    for alignment in [0_u32, 1, 24, 1 << 20] {
        let file = GgufBytes::new(3, 0, 1).entry("general.alignment", 4, &alignment.to_le_bytes());
        assert_eq!(error(file).code(), "gguf-metadata", "alignment {alignment}");
    }
}

#[test]
fn bad_tensors_are_refused() {
    let one = |dims: &[u64], ggml_type, offset, data| {
        error(GgufBytes::new(3, 1, 0).tensor("weight", dims, ggml_type, offset).data(data))
    };
    assert_eq!(one(&[], 0, 0, 64).code(), "gguf-tensor");
    assert_eq!(one(&[1; 5], 0, 0, 64).code(), "gguf-tensor");
    assert_eq!(one(&[0], 0, 0, 64).code(), "gguf-tensor");
    assert_eq!(one(&[u64::MAX, u64::MAX], 0, 0, 64).code(), "gguf-tensor");
    assert_eq!(one(&[31], 2, 0, 64).code(), "gguf-tensor", "Q4_0 rows are whole blocks");
    assert_eq!(one(&[4], 0, 8, 64).code(), "gguf-tensor", "unaligned");
    assert_eq!(one(&[64], 0, 0, 64).code(), "gguf-truncated");
    assert_eq!(one(&[4], 0, !31, 64).code(), "gguf-truncated");
    assert_eq!(one(&[256], 12, 0, 256), Error::GgufUnsupportedType { tensor: "weight".into(), found: 12 });
    let overlap = GgufBytes::new(3, 2, 0).tensor("a", &[16], 0, 0).tensor("b", &[16], 0, 32).data(128);
    assert_eq!(error(overlap).code(), "gguf-tensor");
    let same_name = GgufBytes::new(3, 2, 0).tensor("a", &[8], 0, 0).tensor("a", &[8], 0, 32).data(128);
    assert_eq!(error(same_name).code(), "gguf-tensor");
}
