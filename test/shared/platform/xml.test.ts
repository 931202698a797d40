import { deepEqual, equal, throws } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { elementOf, elementsOf, readXml, textOf, xmlEscaped } from '../../../shared/platform/index.ts';

test('elements are found by their names, right below', () => {
  const list = readXml(
    '\n<?xml version="1.0"?><!-- <a> --><List xmlns="x"><Entry><Key>a&amp;b&#x21;&#33;</Key><Empty/></Entry><Entry a="1"><Key><![CDATA[<c>]]></Key></Entry></List>\n',
  );
  equal(list.name, 'List');
  deepEqual(
    elementsOf(list, 'Entry').map((entry) => textOf(entry, 'Key')),
    ['a&b!!', '<c>'],
  );
  deepEqual([elementOf(list, 'Key'), textOf(elementOf(list, 'Entry'), 'Empty')], [undefined, '']);
});

test('text that was escaped is read as it was', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => equal(textOf(readXml(`<a><b>${xmlEscaped(text)}</b></a>`), 'b'), text)),
  ));

for (const broken of [
  '',
  'text',
  '<a>',
  '<a></b>',
  '</a>',
  '<a><b></a></b>',
  '<',
  '<a',
  '<!--',
  '<a><![CDATA[</a>',
  '< >',
  '<a>'.repeat(100),
])
  test(`${JSON.stringify(broken.slice(0, 20))} is no document`, () => throws(() => readXml(broken), SyntaxError));

test('eight million characters that never end are refused in their length', () => {
  for (const piece of ['<!-', '<a b', '&#', '<a>x</a>'])
    try {
      readXml(`<r>${piece.repeat(2 ** 20)}`);
    } catch (error) {
      equal(error instanceof SyntaxError, true);
    }
});
