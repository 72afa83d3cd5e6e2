//! A model file behind a JavaScript object `{ size, read(offset, into) }`.

use crate::error::{Error, Result};
use crate::gguf::ReadAt;
use js_sys::{Function, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};

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
        let size =
            field("size").as_f64().filter(|size| *size >= 0.0).ok_or_else(|| invalid("no size"))? as u64;
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
        self.read.call2(&self.object, &offset, &bytes).map_err(|error| Error::Io {
            message: format!("reading the model failed: {}", describe(&error)),
        })?;
        bytes.copy_to(buffer);
        Ok(())
    }
}

fn describe(error: &JsValue) -> String {
    let message = Reflect::get(error, &"message".into()).ok().and_then(|message| message.as_string());
    message.unwrap_or_else(|| format!("{error:?}"))
}
