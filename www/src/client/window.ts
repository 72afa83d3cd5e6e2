/**
 * Bounds what is sent to the worker: of a long document only the text near the
 * caret can matter, and copying megabytes on every keystroke would be felt.
 * The engine trims again, in tokens; these bounds are far wider than that.
 */

/** Most UTF-16 units of the text before the caret that are sent: the last ones. */
export const MAX_PREFIX_CHARS = 64 * 1024;
/** Cuts before the caret fall on multiples of this, so that what is sent begins at the same place while a person types. */
export const PREFIX_STEP_CHARS = 16 * 1024;
/** Most UTF-16 units of the text after the caret that are sent: the first ones. */
export const MAX_SUFFIX_CHARS = 16 * 1024;
/** A cut moves to a line start if one is no farther than this, so that the model sees whole lines. */
export const LINE_SEARCH_CHARS = 1024;

/** The end of `prefix`, at most {@link MAX_PREFIX_CHARS} long. */
export function trimPrefix(prefix: string): string {
  if (prefix.length <= MAX_PREFIX_CHARS) return prefix;
  const cut = Math.ceil((prefix.length - MAX_PREFIX_CHARS) / PREFIX_STEP_CHARS) * PREFIX_STEP_CHARS;
  if (prefix[cut - 1] === '\n') return prefix.slice(cut);
  const newline = prefix.indexOf('\n', cut);
  if (newline >= 0 && newline < cut + LINE_SEARCH_CHARS) return prefix.slice(newline + 1);
  return prefix.slice(splitsPair(prefix, cut) ? cut + 1 : cut);
}

/** The start of `suffix`, at most {@link MAX_SUFFIX_CHARS} long. */
export function trimSuffix(suffix: string): string {
  if (suffix.length <= MAX_SUFFIX_CHARS) return suffix;
  const cut = MAX_SUFFIX_CHARS;
  const newline = suffix.lastIndexOf('\n', cut - 1);
  if (newline >= cut - LINE_SEARCH_CHARS) return suffix.slice(0, newline + 1);
  return suffix.slice(0, splitsPair(suffix, cut) ? cut - 1 : cut);
}

/** Whether a cut at `index` would part a high surrogate from the low one after it. */
function splitsPair(text: string, index: number): boolean {
  return (text.codePointAt(index - 1) ?? 0) > 0xffff;
}
