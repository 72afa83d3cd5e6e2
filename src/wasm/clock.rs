//! The page's clock.

use crate::engine::Clock;
use wasm_bindgen::{JsCast, JsValue};

/// `performance.now()` of the worker or window; 0 where there is none.
pub(super) struct PageClock;

impl Clock for PageClock {
    fn now_ms(&self) -> f64 {
        let global: JsValue = js_sys::global().into();
        let performance = match global.dyn_into::<web_sys::WorkerGlobalScope>() {
            Ok(worker) => worker.performance(),
            Err(_) => web_sys::window().and_then(|window| window.performance()),
        };
        performance.map_or_else(js_sys::Date::now, |performance| performance.now())
    }
}
