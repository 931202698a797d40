/** Two sides joined in the order of names. */
import { deepEqual, equal } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { compareNames } from '../../../../shared/archive/index.ts';
import type { DocumentCursor } from '../../../../shared/stored-backup/cursor/document-cursor.ts';
import { mergeJoin } from '../../../../shared/stored-backup/cursor/merge-join.ts';

/** A cursor over names that loads a few at a time. */
class Names implements DocumentCursor {
  readonly seconds = 0;
  readonly nanos = 0;
  loads = 0;
  readonly #names: readonly string[];
  readonly #perLoad: number;
  #at = -1;
  #loaded = 0;

  constructor(names: readonly string[], perLoad: number) {
    this.#names = names;
    this.#perLoad = perLoad;
  }

  get name(): Buffer | undefined {
    const name = this.#at < this.#loaded ? this.#names[this.#at] : undefined;
    return name === undefined ? undefined : Buffer.from(name);
  }

  step(): boolean {
    this.#at += 1;
    return this.#at < this.#loaded;
  }

  async load(): Promise<void> {
    this.loads += 1;
    if (this.#at < 0) this.#at = 0;
    this.#loaded = Math.min(this.#names.length, this.#loaded + this.#perLoad);
  }

  content = async () => Buffer.alloc(0);
  close = async () => {};
}

const opened = async (names: readonly string[], perLoad = 2): Promise<Names> => {
  const cursor = new Names(names, perLoad);
  await cursor.load();
  return cursor;
};

const visitsOf = async (left: Names, right: Names | undefined): Promise<readonly string[]> => {
  const visits: string[] = [];
  const isComplete = await mergeJoin({ left, right, compare: compareNames }, (order, name, n) => {
    visits.push(`${n}${order < 0 ? '<' : order > 0 ? '>' : '='}${name}`);
    // Some visits wait.
    return n % 3 === 0 ? Promise.resolve(true) : true;
  });
  equal(isComplete, true);
  return visits;
};

test('mergeJoin: every name of both sides is visited once, in order', async () => {
  deepEqual(await visitsOf(await opened(['a', 'c', 'd']), await opened(['b', 'c', 'e'])), ['1<a', '2>b', '3=c', '4<d', '5>e']);
  deepEqual(await visitsOf(await opened([]), await opened(['a'])), ['1>a']);
  deepEqual(await visitsOf(await opened(['a', 'b', 'c']), undefined), ['1<a', '2<b', '3<c']);
  deepEqual(await visitsOf(await opened([]), await opened([])), []);
});

const names = fc.uniqueArray(fc.integer({ min: 0, max: 20 }).map((number) => `n${number}`)).map((some) => some.sort());
const perLoad = fc.integer({ min: 1, max: 4 });

test('mergeJoin: any two sides, loaded in pieces of any size', () =>
  fc.assert(
    fc.asyncProperty(names, perLoad, names, perLoad, async (left, leftPerLoad, right, rightPerLoad) => {
      const expected = [...new Set([...left, ...right])].sort().map((name, at) => {
        const sign = !right.includes(name) ? '<' : left.includes(name) ? '=' : '>';
        return `${at + 1}${sign}${name}`;
      });
      deepEqual(await visitsOf(await opened(left, leftPerLoad), await opened(right, rightPerLoad)), expected);
    }),
  ));

test('mergeJoin: a visit that returns false ends it, and nothing more is loaded', async () => {
  for (const answer of [false, Promise.resolve(false)]) {
    const [left, right] = [await opened(['a', 'b', 'c'], 1), await opened(['b'], 1)];
    const visited: string[] = [];
    equal(
      await mergeJoin({ left, right, compare: compareNames }, (_, name) => {
        visited.push(name.toString());
        return visited.length < 2 || answer;
      }),
      false,
    );
    deepEqual([visited, left.loads, right.loads], [['a', 'b'], 2, 1]);
  }
});
