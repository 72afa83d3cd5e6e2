/** The documentation names every option, event, error code, key and command there is, with unit and default, and no other. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const source = (file: string): string => read(`src/${file}.ts`);
const page = (name: string): string => read(`docs/${name}.md`);

/** Names of the fields of an interface, from its text. */
function fields(text: string, name: string): string[] {
  const body = new RegExp(`^export interface ${name}\\b[^{]*\\{\\n([^]*?)^\\}`, 'm').exec(text)?.[1];
  if (body === undefined) throw new Error(`there is no interface ${name}`);
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map((match) => match[1] as string);
}

/** Rows of the tables of a page whose first column has this title: the first cell without quotes, then the others. */
function rows(text: string, title: string): string[][] {
  const tables = text.split(/\n\n+/).filter((block) => new RegExp(`^\\| ${title} +\\|`).test(block));
  return tables.flatMap((table) =>
    table
      .split('\n')
      .slice(2)
      .map((row) => row.slice(1, -1).split('|'))
      .map(([first = '', ...cells]) => [
        first.replaceAll('`', '').trim(),
        ...cells.map((cell) => cell.trim()),
      ]),
  );
}

const names = (table: string[][]): string[] => table.map(([name]) => name as string);
const sorted = (list: readonly string[]): string[] => [...list].sort();

const complete = fields(source('client/types'), 'CompleteOptions');
const editor = fields(source('editor/options'), 'EditorOptions');
const notPassedOn = ['path', 'languageId', 'signal', ...editor];

describe('the options', () => {
  const options = [...fields(source('client/types'), 'CompleterOptions'), ...complete];
  const pages: [string, string[], string[][]][] = [
    ['completer', options, rows(page('completer'), 'option')],
    [
      'monaco',
      [...editor, ...fields(source('monaco/index'), 'RegisterOptions')],
      rows(page('monaco'), 'option'),
    ],
    [
      'codemirror',
      [...editor, ...fields(source('codemirror/config'), 'MidlineConfig')],
      rows(page('codemirror'), 'option'),
    ],
  ];
  it.each(pages)('of %s are in its tables', (_, options, table) => {
    expect(options.length).toBeGreaterThan(3);
    expect(sorted(names(table))).toEqual(sorted(options));
  });

  it.each(pages)('of %s have a type, a default and a meaning, and numbers have a unit', (_, __, table) => {
    for (const [name, type, unit, byDefault, meaning] of table) {
      expect([type, byDefault, meaning].every(Boolean), name).toBe(true);
      if (type === 'number') expect(unit, name).toBeTruthy();
    }
  });

  it('of the filters are in their table', () => {
    expect(sorted(names(rows(page('completer'), 'filter')))).toEqual(
      sorted(fields(source('client/types'), 'FilterOptions')),
    );
  });

  it.each(['monaco', 'codemirror'])('that %s passes on are listed', (name) => {
    const listed = /which are passed on: ([^(]*)/.exec(page(name))?.[1] ?? '';
    const passedOn = complete.filter((option) => !notPassedOn.includes(option));
    expect(sorted([...listed.matchAll(/`(\w+)`/g)].map((match) => match[1] as string))).toEqual(
      sorted(passedOn),
    );
  });
});

it('the error codes are all explained', () => {
  const codes = [...source('client/errors').matchAll(/^ *\|? ?'([\w-]+)'|\| '([\w-]+)'/gm)].map(
    (match) => (match[1] ?? match[2]) as string,
  );
  expect(codes.length).toBeGreaterThan(20);
  const explained = names(rows(page('completer'), 'code')).flatMap((cell) => cell.split(', '));
  expect(sorted(explained)).toEqual(sorted(codes));
});

it('the events are all explained', () => {
  const events = [...source('editor/options').matchAll(/\{ readonly type: '(\w+)'/g)].map(
    (match) => match[1],
  );
  expect(events.length).toBeGreaterThan(3);
  expect(names(rows(page('monaco'), 'event'))).toEqual(events);
});

it('the keys and commands of CodeMirror are all explained', () => {
  const bound = [...source('codemirror/commands').matchAll(/\{ key: '(.*)', run: (\w+) \}/g)];
  expect(bound.length).toBeGreaterThan(5);
  const table = rows(page('codemirror'), 'key');
  expect(names(table)).toEqual(bound.map((match) => (match[1] as string).replaceAll('\\\\', '\\')));
  const exported = /^export \{\n([^}]*)\} from '.\/commands.js'/m.exec(source('codemirror/index'))?.[1] ?? '';
  const commands = [...exported.matchAll(/\w+/g)].map(String).filter((name) => name !== 'midlineKeymap');
  expect(sorted(table.map(([, command = '']) => command.replaceAll('`', '')))).toEqual(sorted(commands));
});

it('every door of the package is in the readme', () => {
  const { exports } = JSON.parse(read('package.json')) as { exports: Record<string, unknown> };
  const doors = Object.keys(exports).filter((door) => door !== './package.json');
  for (const door of doors) {
    const name = door.replace(/^\./, 'midline').replace('*', '');
    expect(names(rows(read('README.md'), 'door')).join(' '), door).toContain(name.replace('.wasm', ''));
  }
});

describe('what an expert expects of an editor, and what people have reported', () => {
  const text = read('../tests/README.md');
  const editors = text.slice(text.indexOf('## Editors'), text.indexOf('## Evaluation'));
  const table = [...rows(editors, '#'), ...rows(editors, 'id')];
  const suites = ['tests', '../tests/e2e'];
  const fileOf = (suite: string): string | undefined =>
    suites
      .map((folder) => `${folder}/${suite.replace(/\.test\.ts$/, '')}.test.ts`)
      .find((path) => existsSync(new URL(`../${path}`, import.meta.url)));

  it('is in the tables, each once', () => {
    const ids = table.flatMap(([id = '']) => id.split(', '));
    const expectations = Array.from({ length: 17 }, (_, i) => String(i + 1));
    const reported =
      'T30 T31 T33 T34 T35 T36 T37 T38 T39 T40 T41 T43 T44 T46 T47 T48 T49 T50 T51 T52 T53 T55 T57 T58';
    expect(sorted(ids)).toEqual(sorted([...expectations, ...reported.split(' ')]));
  });

  it.each(table.map((row) => [row[0] as string, row[2] as string]))(
    'has for %s a test that is there, or a sentence',
    (_, shown) => {
      const named = [...shown.matchAll(/`([a-z-]+(?:\.test\.ts)?)`/g)].map((match) => match[1] as string);
      const isSaid = /cannot occur|not built|native suites|every browser test/.test(shown);
      expect(isSaid || named.some(fileOf), shown).toBe(true);
      for (const suite of named) expect(fileOf(suite), suite).toBeDefined();
      for (const [, suite = '', id = ''] of shown.matchAll(/`([a-z-]+)`,? (?:also )?(T\d+)/g))
        expect(read(fileOf(suite) as string), `${suite} ${id}`).toMatch(new RegExp(`'${id}: `));
    },
  );
});
