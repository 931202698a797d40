import { deepEqual, equal, ok } from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'vitest';
import { errors } from '../../../shared/contract/errors.ts';
import { eventNames, isSimpleEvent } from '../../../shared/contract/events/event-names.ts';
import { endpoints } from '../../../shared/contract/index.ts';
import { errorsOf } from '../../../shared/contract/openapi/error-responses.ts';
import { type Document, openapiDocument } from '../../../shared/contract/openapi/openapi-document.ts';
import { docsPage } from '../../../shared/docs/page.ts';

const { html: page, contentSecurityPolicy } = docsPage(openapiDocument());

const empty = ['meta', '!doctype'];
/** The elements of a page, which must be nested correctly. */
const elementsOf = (html: string): string[] => {
  const open: string[] = [];
  const seen: string[] = [];
  for (const [, close, name = '', attributes = ''] of html
    .replace(/<style>[^<]*<\/style>/, '')
    .matchAll(/<(\/)?([a-z0-9!]+)((?:\s+[a-z-]+(?:="[^"<>]*")?)*)\s*>/gi)) {
    if (empty.includes(name.toLowerCase())) continue;
    if (close) equal(open.pop(), name);
    else {
      open.push(name);
      seen.push(`${name}${attributes}`);
    }
  }
  deepEqual(open, []);
  return seen;
};

test('docsPage: it is well-formed and contains only known tags', () => {
  elementsOf(page);
  const strays = page.replace(/<style>[^<]*<\/style>/, '').replace(/<\/?[a-z0-9!]+(?:\s+[a-z-]+(?:="[^"<>]*")?)*\s*>/gi, '');
  ok(!/[<>]/.test(strays), strays.match(/.{20}[<>].{20}/s)?.[0]);
});

for (const endpoint of endpoints)
  test(`docsPage: ${endpoint.id} has its method, path, access and errors`, () => {
    const section = page.split('<section').find((part) => part.includes(`id="${endpoint.id}"`))!;
    ok(section.includes(`>${endpoint.method}</span>`));
    ok(section.includes(`<code>${endpoint.path}</code>`));
    ok(section.includes('curl'));
    if (typeof endpoint.access === 'object') ok(section.includes(endpoint.access.role));
    for (const code of errorsOf(endpoint)) if (errors[code] !== endpoint.alsoStatus) ok(section.includes(code), code);
  });

for (const name of eventNames)
  test(`docsPage: ${name} has the fields of every format`, () => {
    const section = page.split('<details').find((part) => part.includes(`id="event.${name}"`))!;
    ok(section.includes('<code>metadata.deliveryId</code>') && section.includes('<code>data.organization.id</code>'));
    equal(section.includes('<h4>In the simple format</h4>'), isSimpleEvent(name));
  });

test('docsPage: every internal link has a target', () => {
  for (const [, target] of page.matchAll(/href="#([^"]*)"/g)) ok(page.includes(`id="${target}"`), target);
});

test('docsPage: nothing external is loaded and no script runs: the policy allows only the inline style', () => {
  const style = /<style>([^<]*)<\/style>/.exec(page)![1]!;
  const digest = createHash('sha256').update(style).digest('base64');
  equal(
    contentSecurityPolicy,
    `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  ok(!/<script|<link|<img|<iframe|javascript:|\son\w+=|\sstyle=|@import|url\(/i.test(page));
});

test('docsPage: texts of the OpenAPI document are escaped', () => {
  const evil = `"><script>alert(1)</script><a href='x' onclick="x">&amp;`;
  const poison = (value: unknown): unknown =>
    typeof value === 'string'
      ? value.startsWith('#/') || ['get', 'post', 'object', 'array'].includes(value)
        ? value
        : value + evil
      : Array.isArray(value)
        ? value.map(poison)
        : value && typeof value === 'object'
          ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, poison(inner)]))
          : value;
  const document = openapiDocument();
  const { html } = docsPage({ ...(poison(document) as Document), tags: document.tags, info: { ...document.info, title: evil } });
  const elements = elementsOf(html);
  ok(!elements.some((element) => /^script|onclick/.test(element)));
  ok(html.includes('&quot;&gt;&lt;script&gt;'));
});
