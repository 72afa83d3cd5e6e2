/**
 * Files dropped on the page. Wherever they land they are opened, for a browser
 * left to itself would leave the page and show the file. Text dropped on the
 * editor is the editor's own; anything else dropped is ignored.
 */
export function acceptDrops(editor: HTMLElement, open: (file: File) => void): void {
  const mark = (on: boolean): void => void editor.classList.toggle('dropping', on);
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
  const isEditors = (event: DragEvent): boolean =>
    event.defaultPrevented ||
    (editor.contains(event.target as Node) && !event.dataTransfer?.types.includes('text/uri-list'));

  // Files before the editor sees them, the rest after it.
  const capture = { capture: true };
  for (const type of ['dragenter', 'dragover'] as const) {
    addEventListener(
      type,
      (event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        event.stopPropagation();
        if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
        mark(true);
      },
      capture,
    );
    addEventListener(type, (event) => {
      if (isEditors(event)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'none';
    });
  }
  // Out of the window there is nothing that is entered instead.
  addEventListener('dragleave', (event) => event.relatedTarget === null && mark(false), capture);
  addEventListener(
    'drop',
    (event) => {
      mark(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      event.stopPropagation();
      const [file] = event.dataTransfer?.files ?? [];
      if (file) open(file);
    },
    capture,
  );
  addEventListener('drop', (event) => {
    if (!isEditors(event)) event.preventDefault();
  });
}
