//! The door to JavaScript: one class, `Engine`. The only room that knows wasm-bindgen.

mod clock;
#[cfg(feature = "conformance")]
mod conformance;
mod source;
#[cfg(target_feature = "atomics")]
mod threads;

use crate::engine::{Clock, CompletionRequest, Engine as CoreEngine, EngineOptions, Progress, Threads};
use crate::error::{Error, Result};
use crate::wire::{ErrorWire, ModelInfoWire, RequestWire, ResultWire, whole};
use clock::PageClock;
use js_sys::{Function, Promise, Reflect};
use serde::Serialize;
use source::JsSource;
use std::cell::{Cell, RefCell, RefMut};
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

#[wasm_bindgen(start)]
fn start() {
    console_error_panic_hook::set_once();
}

/// The instruction set this module was built for.
#[wasm_bindgen]
pub fn variant() -> String {
    crate::kernels::Kernels::detect().variant().name().to_owned()
}

/// A loaded model. Owned by one worker.
#[wasm_bindgen]
pub struct Engine {
    core: Rc<RefCell<CoreEngine>>,
    running: Rc<Cell<bool>>,
}

/// Marks the engine as running a completion for as long as it lives.
struct Running(Rc<Cell<bool>>);

impl Running {
    fn begin(flag: &Rc<Cell<bool>>) -> Result<Self> {
        if flag.replace(true) { Err(Error::Busy) } else { Ok(Self(flag.clone())) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

#[wasm_bindgen]
impl Engine {
    /// Loads a GGUF file from a `{ size, read(offset, into) }` source; throws `{ code, message, expected, found }`.
    pub fn load(
        source: JsValue,
        options: JsValue,
        on_progress: Option<Function>,
    ) -> std::result::Result<Engine, JsValue> {
        let load = || -> Result<CoreEngine> {
            let source = JsSource::new(source)?;
            let context_tokens = optional_whole(&options, "contextTokens")?;
            let preferred_format = optional_string(&options, "preferredFormat")?;
            let threads = threads(&options)?;
            let options =
                EngineOptions { context_tokens, preferred_format, threads, ..EngineOptions::default() };
            CoreEngine::load(&source, &options, &mut |bytes| {
                if let Some(report) = &on_progress {
                    // A report that throws must not end the loading.
                    let _ = report.call1(&JsValue::NULL, &JsValue::from_f64(bytes as f64));
                }
            })
        };
        let core = load().map_err(|error| thrown(&error))?;
        Ok(Self { core: Rc::new(RefCell::new(core)), running: Rc::default() })
    }

    /// Facts about the model.
    pub fn info(&self) -> std::result::Result<JsValue, JsValue> {
        let core = self.core.try_borrow().map_err(|_| thrown(&Error::Busy))?;
        Ok(to_js(&ModelInfoWire::from(core.info())))
    }

    /// Ids of a text.
    pub fn tokenize(&self, text: JsValue) -> std::result::Result<Vec<u32>, JsValue> {
        let text = text.as_string().ok_or_else(|| thrown(&invalid("text", "a string", &text)))?;
        let core = self.core.try_borrow().map_err(|_| thrown(&Error::Busy))?;
        Ok(core.tokenize(&text))
    }

    /// Runs a completion step by step. Between two steps `pause()` is awaited; when it gives `false` the
    /// completion is dropped and the promise rejects with the code `aborted`.
    pub fn complete(&self, request: JsValue, pause: Function) -> Promise {
        let core = self.core.clone();
        let running = Running::begin(&self.running);
        future_to_promise(async move {
            let _running = running.map_err(|error| thrown(&error))?;
            let result = run(&core, request, &pause).await.map_err(|error| thrown(&error))?;
            Ok(to_js(&result))
        })
    }

    /// Reads `prompt_tokens` and generates `new_tokens` without stop rules; gives `{ prefillMs, decodeMs }`.
    pub fn bench(&self, prompt_tokens: f64, new_tokens: f64) -> std::result::Result<JsValue, JsValue> {
        let count = |field, value| whole(field, Some(value), 0).map_err(|error| thrown(&error));
        let (prompt_tokens, new_tokens) =
            (count("promptTokens", prompt_tokens)?, count("newTokens", new_tokens)?);
        let _running = Running::begin(&self.running).map_err(|error| thrown(&error))?;
        let mut core = borrowed(&self.core).map_err(|error| thrown(&error))?;
        let started_ms = PageClock.now_ms();
        let mut read_ms = started_ms;
        core.bench(prompt_tokens, new_tokens, &mut || read_ms = PageClock.now_ms())
            .map_err(|error| thrown(&error))?;
        let timing = BenchWire { prefill_ms: read_ms - started_ms, decode_ms: PageClock.now_ms() - read_ms };
        Ok(to_js(&timing))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BenchWire {
    prefill_ms: f64,
    decode_ms: f64,
}

/// The steps of one completion. The engine is borrowed within a step only, so that it answers `info` and
/// `tokenize` during a pause.
async fn run(core: &RefCell<CoreEngine>, request: JsValue, pause: &Function) -> Result<ResultWire> {
    let request = parse_request(request)?;
    let mut completion = borrowed(core)?.start(&request, &PageClock)?;
    loop {
        let progress = completion.step(&mut *borrowed(core)?, &PageClock)?;
        if let Progress::Done(result) = progress {
            return Ok(ResultWire::from(*result));
        }
        if !paused(pause).await? {
            return Err(Error::Aborted);
        }
    }
}

fn borrowed(core: &RefCell<CoreEngine>) -> Result<RefMut<'_, CoreEngine>> {
    core.try_borrow_mut().map_err(|_| Error::Busy)
}

/// Awaits `pause()`; whether to go on.
async fn paused(pause: &Function) -> Result<bool> {
    let failed = |error| invalid("pause", "a function giving a promise of a boolean", &error);
    let waited = pause.call0(&JsValue::NULL).map_err(failed)?;
    let go_on = JsFuture::from(Promise::resolve(&waited)).await.map_err(failed)?;
    Ok(go_on.is_truthy())
}

fn parse_request(request: JsValue) -> Result<CompletionRequest> {
    if !request.is_object() {
        return Err(invalid("request", "an object with prefix and suffix", &request));
    }
    let wire: RequestWire =
        serde_wasm_bindgen::from_value(request).map_err(|error| Error::RequestInvalid {
            field: "request".into(),
            expected: "an object with string prefix and suffix and numeric options".into(),
            found: error.to_string(),
        })?;
    wire.try_into()
}

/// A field of an object that may be absent, as may the object.
fn optional(options: &JsValue, field: &str) -> Option<JsValue> {
    let value = Reflect::get(options, &field.into()).ok()?;
    (!value.is_undefined() && !value.is_null()).then_some(value)
}

/// `threads` is a number to use, `maxThreads` one up to which to measure; without both there is one thread.
fn threads(options: &JsValue) -> Result<Threads> {
    let now_ms = || PageClock.now_ms();
    match (optional_whole(options, "threads")?, optional_whole(options, "maxThreads")?) {
        (Some(threads), _) => Ok(Threads::Fixed(threads)),
        (None, Some(most)) => Ok(Threads::Measured { most, now_ms }),
        (None, None) => Ok(Threads::Fixed(1)),
    }
}

fn optional_whole(options: &JsValue, field: &str) -> Result<Option<usize>> {
    let Some(value) = optional(options, field) else { return Ok(None) };
    let number = value.as_f64().ok_or_else(|| invalid(field, "a whole number", &value))?;
    whole(field, Some(number), 0).map(Some)
}

fn optional_string(options: &JsValue, field: &str) -> Result<Option<String>> {
    let Some(value) = optional(options, field) else { return Ok(None) };
    value.as_string().map(Some).ok_or_else(|| invalid(field, "a string", &value))
}

/// A value of the wrong kind, as a person would write it.
fn invalid(field: &str, expected: &str, found: &JsValue) -> Error {
    let found = describe(found);
    Error::RequestInvalid { field: field.into(), expected: expected.into(), found }
}

/// The message of an error, the text of a string or number, else the type.
fn describe(value: &JsValue) -> String {
    let message = Reflect::get(value, &"message".into()).ok().and_then(|message| message.as_string());
    let number = value.as_f64().map(|number| number.to_string());
    let kind = || value.js_typeof().as_string().unwrap_or_default();
    message.or_else(|| value.as_string()).or(number).unwrap_or_else(kind)
}

fn to_js<T: Serialize>(value: &T) -> JsValue {
    serde_wasm_bindgen::to_value(value).unwrap_or(JsValue::UNDEFINED)
}

fn thrown(error: &Error) -> JsValue {
    to_js(&ErrorWire::from(error))
}
