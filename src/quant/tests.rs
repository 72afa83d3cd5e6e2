//! Round trips and hand-made blocks.

use super::*;

const FORMATS: [Format; 5] = [Format::F32, Format::F16, Format::Q4_0, Format::Q4_1, Format::Q8_0];

fn decoded(format: Format, bytes: &[u8]) -> Vec<f32> {
    let mut out = vec![0.0; bytes.len() / format.block_bytes() * format.block_len()];
    dequantise_row(format, bytes, &mut out);
    out
}

fn encoded(format: Format, x: &[f32]) -> Vec<u8> {
    let mut out = Vec::new();
    quantise_row(format, x, &mut out);
    out
}

#[test]
fn sizes_match_the_format_table() {
    let x = [0.5_f32; 64];
    for format in FORMATS {
        let bytes = encoded(format, &x);
        assert_eq!(bytes.len(), 64 / format.block_len() * format.block_bytes());
        for (got, want) in decoded(format, &bytes).iter().zip(x) {
            assert!((got - want).abs() <= 2e-4 * want, "{format:?}: {got}");
        }
    }
}

#[test]
fn nibble_order_is_low_half_then_high_half() {
    let mut block = vec![0x00, 0x3c]; // scale 1.0
    block.extend((0..16).map(|j| j | (15 - j) << 4));
    let values = decoded(Format::Q4_0, &block);
    for j in 0..16 {
        assert_eq!(values[j], j as f32 - 8.0);
        assert_eq!(values[j + 16], 7.0 - j as f32);
    }
    block.splice(2..2, [0x00, 0xc0]); // minimum -2.0
    let values = decoded(Format::Q4_1, &block);
    assert_eq!(values[3], 1.0);
    assert_eq!(values[19], 10.0);
}

#[test]
fn q8_0_keeps_minus_128() {
    let mut block = vec![0x00, 0x38]; // scale 0.5
    block.extend([0x80; 32]);
    assert_eq!(decoded(Format::Q8_0, &block), [-64.0; 32]);
}

#[test]
fn ramps_are_reproduced_exactly() {
    let ramp: Vec<f32> = (0..32).map(|i| (i % 16) as f32 - 8.0).collect();
    assert_eq!(decoded(Format::Q4_0, &encoded(Format::Q4_0, &ramp)), ramp);
    assert_eq!(decoded(Format::Q4_1, &encoded(Format::Q4_1, &ramp)), ramp);
    let ramp: Vec<f32> = (0..32).map(|i| i as f32 * 8.0 - 127.0).collect();
    assert_eq!(decoded(Format::Q8_0, &encoded(Format::Q8_0, &ramp)), ramp);
}

#[test]
fn zero_blocks_stay_zero() {
    for format in FORMATS {
        assert!(decoded(format, &encoded(format, &[0.0; 32])).iter().all(|&x| x == 0.0));
    }
}

#[test]
fn halves_round_away_from_zero_in_q8_0() {
    let mut x = [0.0; 32];
    (x[0], x[1], x[2], x[3]) = (127.0, 0.5, -0.5, 1.5);
    let bytes = encoded(Format::Q8_0, &x);
    assert_eq!([bytes[3] as i8, bytes[4] as i8, bytes[5] as i8], [1, -1, 2]);
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    fn block() -> impl Strategy<Value = Vec<f32>> {
        (-30..12_i32).prop_flat_map(|exponent| {
            let scale = (exponent as f32).exp2();
            proptest::collection::vec((-1.0_f32..1.0).prop_map(move |x| x * scale), 32)
        })
    }

    proptest! {
        /// The error of a weight stays within half a step (Q4_0: one step at the far end of its
        /// lopsided range) plus what rounding the scale and minimum to halves costs.
        #[test]
        fn errors_stay_within_a_step(x in block()) {
            let largest = x.iter().fold(0.0_f32, |m, x| m.max(x.abs()));
            let span = x.iter().fold(f32::MIN, |m, &x| m.max(x)) - x.iter().fold(f32::MAX, |m, &x| m.min(x));
            let half_ulp = |v: f32| v / 2048.0 + 3.0e-8;
            let bounds = [
                (Format::Q4_0, largest / 8.0 * 1.001 + 8.0 * half_ulp(largest / 8.0)),
                (Format::Q4_1, span / 30.0 * 1.001 + 15.0 * half_ulp(span / 15.0) + half_ulp(largest)),
                (Format::Q8_0, largest / 254.0 * 1.001 + 127.0 * half_ulp(largest / 127.0)),
                (Format::F16, half_ulp(largest)),
                (Format::F32, 0.0),
            ];
            for (format, bound) in bounds {
                for (got, want) in decoded(format, &encoded(format, &x)).iter().zip(&x) {
                    prop_assert!((got - want).abs() <= bound, "{:?}: {} for {}", format, got, want);
                }
            }
        }
    }
}
