/** Validates input against its schema. Errors name the field, the reason and the allowed values. */
import type * as z from 'zod';
import { type ErrorDetails, invalid, problemsMax } from '../contract/errors.ts';

type Issue = z.core.$ZodIssue;

interface Validation<S extends z.ZodType> {
  readonly schema: S;
  readonly input: unknown;
  /** Names the input as a whole, such as `body`. */
  readonly whole: string;
}

export const validate = <S extends z.ZodType>(schema: S, input: unknown, whole: string): z.output<S> =>
  validateAll({ schema, input, whole })[0];

/** Validates all inputs. The error has the first problem in `details`, and all of them in `details.errors`. */
export const validateAll = <const S extends readonly z.ZodType[]>(
  ...inputs: { readonly [I in keyof S]: Validation<S[I]> }
): { -readonly [I in keyof S]: z.output<S[I]> } => {
  const results = inputs.map(({ schema, input, whole }) => ({
    result: schema.safeParse(input, { reportInput: true }),
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

/** Unknown fields come first: a mistyped name explains why the right one is missing. */
const explain = (issues: readonly Issue[], whole: string): readonly Problem[] => {
  const isUnknown = (issue: Issue) => issue.code === 'unrecognized_keys';
  const problems = [...issues.filter(isUnknown), ...issues.filter((issue) => !isUnknown(issue))].flatMap((issue) =>
    explainIssue(issue, issues, whole),
  );
  // The invalid values of an array are one problem.
  return [...new Map(problems.map((problem) => [`${problem.field}\n${problem.reason}`, problem])).values()];
};

const explainIssue = (issue: Issue, issues: readonly Issue[], whole: string): readonly Problem[] => {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key, n) => ({
      field: nameOf([...issue.path, key], whole),
      reason: 'is not a known field',
      ...(n === 0 && { unknownFields: issue.keys.slice(0, 20).map(shown) }),
    }));
  }
  const allowed = issue.code === 'invalid_value' ? issue.values : undefined;
  if (!allowed) return [{ field: nameOf(issue.path, whole), reason: reasonOf(issue) }];
  // For an array of enumerated values the field is the array, and all invalid values are listed.
  const field = fieldOf(issue, whole);
  const wrong = issues.filter((other) => other.code === 'invalid_value' && fieldOf(other, whole) === field);
  return [
    {
      field,
      reason: `must be one of ${allowed.join(', ')}`,
      invalidValues: wrong.slice(0, 20).map((other) => shown(other.input)),
      allowedValues: allowed,
    },
  ];
};

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
export const acceptedFields = (schema: z.ZodType | undefined, input: unknown): Readonly<Record<string, unknown>> => {
  const shape = (schema as Partial<z.ZodObject> | undefined)?.shape;
  if (!shape || input === null || typeof input !== 'object') return {};
  const given = Object.entries(shape).filter(([name]) => Object.hasOwn(input, name));
  return Object.fromEntries(
    given.flatMap(([name, field]) => {
      const result = (field as z.ZodType).safeParse((input as Record<string, unknown>)[name]);
      return result.success ? [[name, result.data]] : [];
    }),
  );
};
