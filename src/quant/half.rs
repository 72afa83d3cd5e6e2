//! IEEE 754 half precision (binary16) to and from `f32`.

/// The exact value of a half.
pub fn f16_to_f32(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let exponent = u32::from(half >> 10 & 0x1f);
    let mantissa = u32::from(half & 0x3ff);
    match exponent {
        // Zero and subnormals are multiples of 2^-24; the product is exact.
        0 => f32::from_bits((mantissa as f32 * f32::from_bits(0x3380_0000)).to_bits() | sign),
        0x1f => f32::from_bits(sign | 0x7f80_0000 | mantissa << 13),
        _ => f32::from_bits(sign | (exponent + 112) << 23 | mantissa << 13),
    }
}

/// The nearest half, ties to even; too large values become infinite, every NaN stays a NaN.
pub fn f32_to_f16(value: f32) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 16 & 0x8000) as u16;
    let magnitude = bits & 0x7fff_ffff;
    if magnitude > 0x7f80_0000 {
        return sign | 0x7e00;
    }
    // 65520 is half way between the largest half and the next power of two.
    if magnitude >= 0x477f_f000 {
        return sign | 0x7c00;
    }
    // Below 2^-14: count multiples of 2^-24 by adding 0.5, whose last mantissa bit is worth exactly that.
    if magnitude < 0x3880_0000 {
        let counted = f32::from_bits(magnitude) + 0.5;
        return sign | (counted.to_bits() - 0x3f00_0000) as u16;
    }
    let odd = magnitude >> 13 & 1;
    let rounded = magnitude - (112 << 23) + 0xfff + odd;
    sign | (rounded >> 13) as u16
}

/// Whether a half is neither infinite nor a NaN.
pub fn f16_is_finite(half: u16) -> bool {
    half & 0x7c00 != 0x7c00
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_survives_the_way_through_f32() {
        for half in 0..=u16::MAX {
            let value = f16_to_f32(half);
            let back = f32_to_f16(value);
            if value.is_nan() {
                assert!(f16_to_f32(back).is_nan());
            } else {
                assert_eq!(back, half, "{value}");
            }
            assert_eq!(f16_is_finite(half), value.is_finite());
        }
    }

    #[test]
    fn halves_round_to_nearest_even() {
        for half in 0..0x7bff_u16 {
            let (low, high) = (f16_to_f32(half), f16_to_f32(half + 1));
            let middle = ((f64::from(low) + f64::from(high)) / 2.0) as f32;
            let even = half + (half & 1);
            assert_eq!(f32_to_f16(middle), even);
            assert_eq!(f32_to_f16(-middle), even | 0x8000);
            assert_eq!(f32_to_f16(f32::from_bits(middle.to_bits() - 1)), half);
            assert_eq!(f32_to_f16(f32::from_bits(middle.to_bits() + 1)), half + 1);
        }
        assert_eq!(f32_to_f16(65519.996), 0x7bff);
        assert_eq!(f32_to_f16(65520.0), 0x7c00);
        assert_eq!(f32_to_f16(f32::MIN_POSITIVE), 0);
    }

    #[test]
    fn known_values() {
        for (half, value) in [(0x3c00, 1.0), (0xc000, -2.0), (0x7bff, 65504.0), (0x0001, 5.960_464_5e-8)] {
            assert_eq!(f16_to_f32(half), value);
        }
    }
}
