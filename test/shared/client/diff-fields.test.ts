import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { diffFields } from '../../../shared/client/index.ts';

const text = (stringValue: string) => ({ stringValue });
const map = (fields: object) => ({ mapValue: { fields } });
const list = (...values: object[]) => ({ arrayValue: values.length > 0 ? { values } : {} });
const pathsOf = (before: object, after: object) =>
  diffFields(before as never, after as never).changes.map(({ path, change }) => `${change} ${path}`);

test('diff-fields: finds added, changed and removed fields at any depth', () => {
  const before = { a: text('x'), b: text('x'), m: map({ c: text('x'), d: map({ e: text('x'), f: text('x') }) }) };
  const after = { b: text('y'), m: map({ c: text('x'), d: map({ e: text('y') }), g: text('x') }), z: text('x') };
  deepEqual(pathsOf(before, after), ['removed a', 'changed b', 'changed m.d.e', 'removed m.d.f', 'added m.g', 'added z']);
  equal(diffFields(before, after).unchanged, 1);
});

test('diff-fields: elements of arrays are compared by their position', () => {
  deepEqual(pathsOf({ l: list(text('x'), text('y')) }, { l: list(text('x'), text('z'), text('y')) }), [
    'changed l[1]',
    'added l[2]',
  ]);
  deepEqual(pathsOf({ l: list() }, { l: list(text('x')) }), ['added l[0]']);
});

test('diff-fields: another type is a change, another order of fields is not', () => {
  deepEqual(pathsOf({ a: { integerValue: '1' } }, { a: { doubleValue: 1 } }), ['changed a']);
  deepEqual(pathsOf({ a: map({ x: text('1') }) }, { a: list(text('1')) }), ['changed a']);
  deepEqual(pathsOf({ a: map({ x: text('1'), y: text('2') }) }, { a: map({ y: text('2'), x: text('1') }) }), []);
  deepEqual(pathsOf({ a: { doubleValue: 0 } }, { a: { doubleValue: -0 } }), ['changed a']);
});

test('diff-fields: a vector changes as a whole', () => {
  const vector = (...values: number[]) =>
    map({ __type__: text('__vector__'), value: list(...values.map((doubleValue) => ({ doubleValue }))) });
  deepEqual(pathsOf({ v: vector(1, 2) }, { v: vector(1, 3) }), ['changed v']);
});

test('diff-fields: names that a path cannot contain are quoted, names of object members are ordinary', () => {
  deepEqual(pathsOf({}, { 'a.b': text('x'), constructor: text('x'), 'back`tick': text('x') }), [
    'added `a.b`',
    'added `back\\`tick`',
    'added constructor',
  ]);
  deepEqual(pathsOf({ a: map({ constructor: text('x') }) }, { a: map({}) }), ['removed a.constructor']);
});
