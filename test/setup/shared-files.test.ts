import { deepEqual, ok } from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';
import { sharedFiles } from './shared-files.ts';

const sharedOf = (files: Readonly<Record<string, string>>, except: readonly string[] = []): readonly string[] => {
  const root = mkdtempSync(join(tmpdir(), 'shared-files-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const found = sharedFiles(root, except);
  rmSync(root, { recursive: true });
  return found;
};

test('shared files: one that changes the process, or imports a helper that does, gets its own process', () => {
  const files = {
    'test/shared/plain.test.ts': "import { helper } from '../harness/plain.ts';\n",
    'test/shared/signal.test.ts': "process.on('SIGTERM', () => undefined);\n",
    'test/infra/importing.test.ts': "import { helper } from '../harness/spawning.ts';\n",
    'test/law/timers.test.ts': 'vi.useFakeTimers();\n',
    'test/law/excepted.test.ts': '',
    'test/harness/plain.ts': 'export const helper = () => process.env.HOME;\n',
    'test/harness/spawning.ts': "import { spawn } from 'node:child_process';\n",
  };
  deepEqual(sharedOf(files, ['test/law/excepted.test.ts']), ['test/shared/plain.test.ts']);
});

test('shared files: comments do not count', () => {
  const text =
    '/** Runs in this process. Uses no node:child_process. */\nconst a = 1; // process.exit() and globalThis\n// vi.useFakeTimers()\n';
  deepEqual(sharedOf({ 'test/shared/plain.test.ts': text }), ['test/shared/plain.test.ts']);
});

// Without this a change of one common helper could give hundreds of files a process of their own, which costs minutes.
test('shared files: most test files of this project share a process', () => {
  const shared = sharedFiles(fileURLToPath(new URL('../..', import.meta.url)), []);
  ok(shared.length > 300);
  ok(shared.includes('test/shared/restore/write/write-shard.test.ts'));
});
