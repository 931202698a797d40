/** A function has at most three parameters; one that needs more takes an object, whose names a reader sees at the call. */
import { deepEqual, ok } from 'node:assert/strict';
import { ts } from '@ts-morph/common';
import { test } from 'vitest';
import { sourcesIn } from '../harness/law/source-files.ts';

const parametersMax = 3;

/** What runs for every document, or every field of it: an object per call costs more than what is done with the bytes. */
const perDocument = [
  /^shared\/(anomaly|archive\/(chunk|filter|leaf|name|primitives))\//,
  /^shared\/backup\/build\/merge-delta\.ts: #keep(Run)?$/,
  /^shared\/firestore\/document\/field-keys\.ts: collect(Entry|Maps)?$/,
  /^shared\/firestore\/read\/collection-counts\.ts: #count$/,
  /^shared\/pitr\/(batch\/change-batch-writer|coverage\/find-unwritten)\.ts: #?document$/,
  /^infra\/local\/engines\/firestore\/(proto|storage|value)\//,
];
/** What others call, or what is shaped like theirs. */
const foreign = [
  // Like those of the language: the message, then options.
  /: (ApiError|GcsError|JobFailure|S3Refusal)$/,
  /: an argument of text\.replace$/,
  // Receivers copy it from the documentation, and the samples in other languages take the same.
  /: verifyStandard$/,
];

/** What a function is called, or the variable, property or call that takes it. */
const nameOf = (node: ts.Node): string => {
  for (let at = node; at.kind !== ts.SyntaxKind.SourceFile; at = at.parent) {
    if (at !== node && ts.isCallExpression(at)) return `an argument of ${at.expression.getText()}`;
    const { name } = (ts.isConstructorDeclaration(at) ? at.parent : at) as { readonly name?: ts.Node };
    if (name) return name.getText();
  }
  return 'a function';
};

const functionsIn = (path: string, text: string): readonly { readonly name: string; readonly count: number }[] => {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: { name: string; count: number }[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) found.push({ name: `${path}: ${nameOf(node)}`, count: node.parameters.length });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
};

test('the law counts what stands in any kind of function', () => {
  const sample = `
    interface I { method(a: 1, b: 2, c: 3, d: 4): void }
    class C { constructor(a, b, c, d) {} #hidden = (a, b, c, { d }) => a; set(a) {} }
    export default function <T>(a, b = () => 1, ...c) {}
    const few = ([a, b, c, d]) => use('x', (a, b, c, d) => a);`;
  deepEqual(
    functionsIn('sample.ts', sample).map(({ name, count }) => [name.replace('sample.ts: ', ''), count]),
    [
      ['method', 4],
      ['C', 4],
      ['#hidden', 4],
      ['set', 1],
      ['a function', 3],
      ['b', 0],
      ['few', 1],
      ['an argument of use', 4],
    ],
  );
});

test('functions have at most three parameters; those that need more take an object', () => {
  const functions = sourcesIn('shared', 'functions', 'infra', 'test/harness').flatMap(({ path, text }) =>
    functionsIn(path, text),
  );
  ok(functions.length > 10_000, `${functions.length} functions`);
  const many = functions.filter(({ count }) => count > parametersMax).map(({ name }) => name);
  const exceptions = [...perDocument, ...foreign];
  deepEqual(
    many.filter((name) => !exceptions.some((exception) => exception.test(name))),
    [],
  );
  // An exception that nothing needs any more.
  deepEqual(
    exceptions.filter((exception) => !many.some((name) => exception.test(name))),
    [],
  );
});
