//! The C reference quantisers' bytes and floats, case by case: `tests/golden/quant`, see `tests/golden/PROVENANCE.md`.

use crate::support::{bytes, json};
use midline::quant::{Format, dequantise_row, quantise_row};

fn file(name: &str) -> Vec<u8> {
    bytes(&format!("tests/golden/quant/{name}"))
}

fn floats(name: &str) -> Vec<f32> {
    file(name).as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

/// The bits, with one value for all NaN: C and Rust may choose different ones.
fn bits(x: &[f32]) -> Vec<u32> {
    x.iter().map(|x| if x.is_nan() { 0x7fc0_0000 } else { x.to_bits() }).collect()
}

#[test]
fn blocks_and_floats_are_those_of_the_c_reference() {
    let index = json("tests/golden/quant/index.json");
    let cases = index["cases"].as_array().expect("cases");
    assert!(cases.len() >= 20, "{} cases", cases.len());
    for case in cases {
        let text = |key: &str| case[key].as_str();
        let name = format!("{} {}", text("case").expect("case"), text("type").expect("type"));
        let format = match text("type") {
            Some("q4_0") => Format::Q4_0,
            Some("q4_1") => Format::Q4_1,
            Some("q8_0") => Format::Q8_0,
            Some("f16") => Format::F16,
            other => panic!("type {other:?}"),
        };
        let blocks = file(text("blocks").expect("blocks"));
        if let Some(input) = text("input") {
            let mut got = Vec::new();
            quantise_row(format, &floats(input), &mut got);
            let different = got.iter().zip(&blocks).position(|(got, want)| got != want);
            assert!(got.len() == blocks.len() && different.is_none(), "{name}: byte {different:?}");
        }
        let want = floats(text("dequantised").expect("dequantised"));
        let mut got = vec![0.0; want.len()];
        dequantise_row(format, &blocks, &mut got);
        assert_eq!(bits(&got), bits(&want), "{name}");
    }
}
