//! A model file behind a JavaScript object `{ size, read(offset, into) }`.

use super::describe;
use crate::error::{Error, Result};
use crate::gguf::ReadAt;
use js_sys::{Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};

/// Largest whole number that JavaScript counts exactly.
const MAX_SIZE: f64 = 9_007_199_254_740_991.0;

pub(super) struct JsSource {
    object: JsValue,
    read: Function,
    size: u64,
}

impl JsSource {
    pub fn new(object: JsValue) -> Result<Self> {
        let invalid = |found: &str| Error::RequestInvalid {
            field: "source".into(),
            expected: "an object with a numeric size and a function read(offset, into)".into(),
            found: found.into(),
        };
        let field = |name: &str| Reflect::get(&object, &name.into()).unwrap_or(JsValue::UNDEFINED);
        let size = field("size")
            .as_f64()
            .filter(|size| (0.0..=MAX_SIZE).contains(size))
            .ok_or_else(|| invalid("no size"))? as u64;
        let read = field("read").dyn_into::<Function>().map_err(|_| invalid("no function read"))?;
        Ok(Self { object, read, size })
    }
}

impl ReadAt for JsSource {
    fn len(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<()> {
        let bytes = Uint8Array::new_with_length(buffer.len() as u32);
        let offset = JsValue::from_f64(offset as f64);
        let failed = |reason: &str| Error::Io { message: format!("reading the model failed: {reason}") };
        let returned =
            self.read.call2(&self.object, &offset, &bytes).map_err(|error| failed(&describe(&error)))?;
        if returned.is_instance_of::<Promise>() {
            return Err(failed("read() gave a promise, but has to fill the buffer before it returns"));
        }
        // A buffer that was transferred away has no length any more.
        if bytes.length() as usize != buffer.len() {
            return Err(failed("read() took the buffer away"));
        }
        bytes.copy_to(buffer);
        Ok(())
    }
}
