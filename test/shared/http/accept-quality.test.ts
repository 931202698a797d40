import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { acceptQuality } from '../../../shared/http/accept-quality.ts';

for (const [header, value, expected] of [
  [undefined, 'text/html', 1],
  ['*/*', 'text/html', 1],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html', 1],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'application/json', 0.8],
  ['text/*;q=0.5, text/html;q=0', 'text/html', 0],
  ['text/*;q=0.5', 'text/html', 0.5],
  ['TEXT/HTML ; Q=0.3', 'text/html', 0.3],
  ['application/json', 'text/html', 0],
  ['', 'text/html', 0],
  ['text/html;q=nonsense', 'text/html', 0],
  ['text/html;q=7', 'text/html', 0],
  ['gzip, br;q=0.5', 'br', 0.5],
  ['gzip;q=0, *', 'gzip', 0],
  ['*', 'gzip', 1],
  ['identity', 'gzip', 0],
] as const)
  test(`acceptQuality: ${header} gives ${value} the weight ${expected}`, () => equal(acceptQuality(header, value), expected));
