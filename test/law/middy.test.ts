/** Every Lambda entry is a middy stack, so that none lacks the log context, the early timeout or the error handling. */
import { ok } from 'node:assert/strict';
import { test } from 'vitest';
import { endpoints, entryOf, handlerOf } from '../../shared/contract/index.ts';
import { type Worker, workers } from '../../shared/contract/runtime/workers.ts';

const entries = [
  ...endpoints.map((endpoint) => ({ entry: entryOf(endpoint), name: handlerOf(endpoint).name })),
  ...Object.values<Worker>(workers).map(({ entry, handler: name = 'handler' }) => ({ entry, name })),
];

for (const { entry, name } of entries) {
  test(`${entry} exports ${name} as a middy stack`, async () => {
    const handlers = (await import(`../../${entry}`)) as Record<string, { readonly use?: unknown }>;
    ok(typeof handlers[name]?.use === 'function');
  });
}
