//! The door to JavaScript: one class, `Engine`. The only room that knows wasm-bindgen.

mod clock;
#[cfg(feature = "conformance")]
mod conformance;
mod source;

use crate::engine::{Clock, CompletionRequest, Engine as CoreEngine, EngineOptions, Progress};
use crate::error::{Error, Result};
use crate::wire::{ErrorWire, ModelInfoWire, RequestWire, ResultWire};
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
            let options = EngineOptions { context_tokens, ..EngineOptions::default() };
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
    pub fn tokenize(&self, text: &str) -> std::result::Result<Vec<u32>, JsValue> {
        let core = self.core.try_borrow().map_err(|_| thrown(&Error::Busy))?;
        Ok(core.tokenize(text))
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
    pub fn bench(&self, prompt_tokens: usize, new_tokens: usize) -> std::result::Result<JsValue, JsValue> {
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
    let failed = |_| Error::Io { message: "pause() failed".into() };
    let waited = pause.call0(&JsValue::NULL).map_err(failed)?;
    let go_on = JsFuture::from(Promise::resolve(&waited)).await.map_err(failed)?;
    Ok(go_on.is_truthy())
}

fn parse_request(request: JsValue) -> Result<CompletionRequest> {
    let wire: RequestWire =
        serde_wasm_bindgen::from_value(request).map_err(|error| Error::RequestInvalid {
            field: "request".into(),
            expected: "an object with string prefix and suffix and numeric options".into(),
            found: error.to_string(),
        })?;
    Ok(wire.into())
}

fn optional_whole(options: &JsValue, field: &str) -> Result<Option<usize>> {
    if options.is_undefined() || options.is_null() {
        return Ok(None);
    }
    let value = Reflect::get(options, &field.into()).unwrap_or(JsValue::UNDEFINED);
    if value.is_undefined() || value.is_null() {
        return Ok(None);
    }
    match value.as_f64() {
        Some(number) if number.fract() == 0.0 && (0.0..=1e9).contains(&number) => Ok(Some(number as usize)),
        _ => Err(Error::RequestInvalid {
            field: field.into(),
            expected: "a non-negative integer".into(),
            found: format!("{value:?}"),
        }),
    }
}

fn to_js<T: Serialize>(value: &T) -> JsValue {
    serde_wasm_bindgen::to_value(value).unwrap_or(JsValue::UNDEFINED)
}

fn thrown(error: &Error) -> JsValue {
    to_js(&ErrorWire::from(error))
}
