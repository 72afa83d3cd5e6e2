/** Steps of a person in the playground. */
import type { Page } from 'playwright-core';
import type * as MonacoNamespace from 'monaco-editor';

declare global {
  // What the page leaves for the console and for tests.
  // eslint-disable-next-line no-var
  var playground: {
    readonly monaco: typeof MonacoNamespace;
    readonly editor: MonacoNamespace.editor.IStandaloneCodeEditor;
  };
}

/** Waits for a state of the status line and gives its text. */
export async function status(page: Page, ...states: string[]): Promise<string> {
  const selector = states.map((state) => `#status[data-state="${state}"]`).join(', ');
  const line = await page.waitForSelector(selector, { timeout: 30_000 });
  return (await line.textContent()) ?? '';
}

export async function openPlayground(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await status(page, 'ready', 'suggestion', 'nothing');
}

/** Chooses a language and empties its document, with the keyboard. */
export async function startDocument(page: Page, language: string): Promise<void> {
  await page.selectOption('#language', language);
  await page.click('.view-lines');
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
}

/** Types as a person does, Enter included; Monaco's own indentation is left to it. */
export async function type(page: Page, text: string): Promise<void> {
  await page.keyboard.type(text, { delay: 15 });
}

/** The document as Monaco has it, with its own line ends. */
export function documentText(page: Page): Promise<string> {
  return page.evaluate(() => globalThis.playground.editor.getValue());
}

/** Waits until the answer to the last key is there and shown as ghost text, and gives its first line. */
export async function ghostText(page: Page): Promise<string> {
  const ghost = page.locator('.ghost-text-decoration, .ghost-text-decoration-preview');
  const shown = async (): Promise<string> => {
    const parts = await ghost.allTextContents();
    return parts.join('').replaceAll('\u00a0', ' ');
  };
  // What stood there a moment ago may belong to the key before: longer than Monaco's wait, it is the answer.
  for (let before = '', end = Date.now() + 30_000; Date.now() < end;) {
    await page.waitForTimeout(150);
    const now = await shown();
    if (now !== '' && now === before && (await page.locator('#status[data-state="suggestion"]').count()) > 0)
      return now;
    before = now;
  }
  throw new Error(`no ghost text; the status line says: ${await page.textContent('#status')}`);
}
