import { deepEqual, equal } from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { test } from 'vitest';
import { browserProgram, openBrowser } from '../../../../infra/cli/login/open-browser.ts';

const url = 'https://backups.example.com/console/device?userCode=WDJB-MJHT&x=1';

test('browser: each system has its program; the address is one argument, not a command of a shell', () => {
  deepEqual(browserProgram({}, 'darwin', url), ['open', url]);
  deepEqual(browserProgram({}, 'win32', url), ['rundll32', 'url.dll,FileProtocolHandler', url]);
  deepEqual(browserProgram({ DISPLAY: ':0' }, 'linux', url), ['xdg-open', url]);
  deepEqual(browserProgram({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux', url), ['xdg-open', url]);
});

test('browser: none is opened in a pipeline or without a display', () => {
  equal(browserProgram({ CI: 'true', DISPLAY: ':0' }, 'linux', url), undefined);
  equal(browserProgram({}, 'linux', url), undefined);
  equal(openBrowser({ env: {} }, url, 'linux'), false);
});

test('browser: a missing program is no error', async () => {
  equal(openBrowser({ env: { DISPLAY: ':0', PATH: mkdtempSync(join(tmpdir(), 'empty-')) } }, url, 'linux'), true);
  await pause(50);
});

test('browser: only addresses of the web are opened', () =>
  equal(openBrowser({ env: { DISPLAY: ':0' } }, 'file:///etc/passwd', 'linux'), false));

test('browser: the program gets the address', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'path-'));
  const opened = join(folder, 'opened');
  writeFileSync(join(folder, 'xdg-open'), `#!/bin/sh\nprintf %s "$1" > "${opened}.part" && mv "${opened}.part" "${opened}"\n`);
  chmodSync(join(folder, 'xdg-open'), 0o755);
  openBrowser({ env: { DISPLAY: ':0', PATH: `${folder}:${process.env.PATH}` } }, url, 'linux');
  while (!existsSync(opened)) await pause(20);
  equal(readFileSync(opened, 'utf8'), url);
});
