/** `import { z }` would add all of zod to every bundle: 449 KB instead of 101, measured. */
import { deepEqual, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { sources } from '../harness/law/source-files.ts';

const statements = sources.flatMap(({ path, imports }) =>
  imports.filter(({ target }) => target === 'zod').map(({ statement }) => ({ path, statement })),
);

test('zod is imported as a namespace', () => {
  ok(statements.length > 10);
  deepEqual(
    statements.filter(({ statement }) => !/^import (type )?\* as z from 'zod';$/.test(statement)),
    [],
  );
});
