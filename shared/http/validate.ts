/** Validates input against its schema. Errors name the field, the reason and the allowed values. */
import { en } from 'zod/locales';
import type * as z from 'zod/mini';
import { type ErrorDetails, invalid, problemsMax } from '../contract/errors.ts';

type Issue = z.core.$ZodIssue;

const { localeError: error } = en();

interface Validation<S extends z.ZodMiniType> {
  readonly schema: S;
  readonly input: unknown;
  /** Names the input as a whole, such as `body`. */
  readonly whole: string;
}

export const validate = <S extends z.ZodMiniType>(schema: S, input: unknown, whole: string): z.output<S> =>
  validateAll({ schema, input, whole })[0];

/** Validates all inputs. The error has the first problem in `details`, and all of them in `details.errors`. */
export const validateAll = <const S extends readonly z.ZodMiniType[]>(
  ...inputs: { readonly [I in keyof S]: Validation<S[I]> }
): { -readonly [I in keyof S]: z.output<S[I]> } => {
  const results = inputs.map(({ schema, input, whole }) => ({
    result: schema.safeParse(input, { reportInput: true, error }),
    whole,
  }));
  const problems = results.flatMap(({ result, whole }) => (result.success ? [] : explain(result.error.issues, whole)));
  const [first] = problems;
  if (!first) return results.map(({ result }) => result.data) as { -readonly [I in keyof S]: z.output<S[I]> };
  const { field, reason, ...more } = first;
  throw invalid(field, reason, { ...more, errors: problems.slice(0, problemsMax) });
};

interface Problem extends ErrorDetails {
  readonly field: string;
  readonly reason: string;
}

/** At most `problemsMax`. Unknown fields come first: a mistyped name explains why the right one is missing. */
const explain = (issues: readonly Issue[], whole: string): readonly Problem[] => {
  const isUnknown = (issue: Issue) => issue.code === 'unrecognized_keys';
  const invalidValues = invalidValuesByField(issues, whole);
  // The invalid values of an array are one problem.
  const problems = new Map<string, Problem>();
  for (const issue of [...issues.filter(isUnknown), ...issues.filter((issue) => !isUnknown(issue))])
    for (const problem of explainIssue(issue, invalidValues, whole)) {
      const name = `${problem.field}\n${problem.reason}`;
      if (!problems.has(name)) problems.set(name, problem);
      if (problems.size === problemsMax) return [...problems.values()];
    }
  return [...problems.values()];
};

type InvalidValues = ReadonlyMap<string, readonly unknown[]>;

/** For an array of enumerated values the field is the array. A body may have very many, of which few are returned. */
const invalidValuesByField = (issues: readonly Issue[], whole: string): InvalidValues => {
  const byField = new Map<string, unknown[]>();
  for (const issue of issues) {
    if (issue.code !== 'invalid_value') continue;
    const field = fieldOf(issue, whole);
    const values = byField.get(field) ?? [];
    if (values.length < 20) values.push(shown(issue.input));
    byField.set(field, values);
  }
  return byField;
};

/** A body may have very many unknown fields, of which few are returned. */
function* explainIssue(issue: Issue, invalidValues: InvalidValues, whole: string): Generator<Problem> {
  if (issue.code === 'unrecognized_keys') {
    for (const [n, key] of issue.keys.entries())
      yield {
        field: nameOf([...issue.path, key], whole),
        reason: 'is not a known field',
        ...(n === 0 && { unknownFields: issue.keys.slice(0, 20).map(shown) }),
      };
    return;
  }
  const allowed = issue.code === 'invalid_value' ? issue.values : undefined;
  if (!allowed) {
    yield { field: nameOf(issue.path, whole), reason: reasonOf(issue) };
    return;
  }
  const field = fieldOf(issue, whole);
  yield {
    field,
    reason: `must be one of ${allowed.join(', ')}`,
    invalidValues: invalidValues.get(field),
    allowedValues: allowed,
  };
}

const fieldOf = ({ path }: Issue, whole: string): string =>
  nameOf(path.slice(0, path.findLastIndex((part) => typeof part !== 'number') + 1), whole);

const nameOf = (path: readonly PropertyKey[], whole: string): string =>
  path.length === 0 ? whole : path.map(String).join('.').slice(0, 200);

/** The caller's value, truncated to a length that is safe to return. */
const shown = (value: unknown): unknown =>
  typeof value === 'string'
    ? value.slice(0, 100)
    : value === undefined || value === null || typeof value === 'number' || typeof value === 'boolean'
      ? (value ?? null)
      : typeof value;

const reasonOf = (issue: Issue): string =>
  issue.code === 'invalid_type' && issue.input === undefined ? 'is required' : issue.message.replace(/^Invalid input: /, '');

/** The fields of an object that their own schemas accept, parsed. */
export const acceptedFields = (schema: z.ZodMiniType | undefined, input: unknown): Readonly<Record<string, unknown>> => {
  const shape = (schema as Partial<z.ZodMiniObject> | undefined)?.shape;
  if (!shape || input === null || typeof input !== 'object') return {};
  const given = Object.entries(shape).filter(([name]) => Object.hasOwn(input, name));
  return Object.fromEntries(
    given.flatMap(([name, field]) => {
      const result = (field as z.ZodMiniType).safeParse((input as Record<string, unknown>)[name]);
      return result.success ? [[name, result.data]] : [];
    }),
  );
};
