// Calls that come in bursts, answered once.

export function debounce(callback, delay) {
  let timer;
  return function (...args) {
    clearTimeout(timer);
    timer = setTimeout(() => callback.apply(this, args), delay);
  };
}

export function once(callback) {
  let called = false;
  let result;
  return function (...args) {
    if (!called) {
      called = true;
      result = callback.apply(this, args);
    }
    return result;
  };
}
