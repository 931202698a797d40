/** Validates input against its schema. Errors name the field, the reason and the allowed values. */
import type * as z from 'zod';
import { type ApiError, invalid } from '../contract/errors.ts';

type Issue = z.core.$ZodIssue;

export const validate = <S extends z.ZodType>(schema: S, input: unknown, whole: string): z.output<S> => {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  throw explain(result.error.issues, input, whole);
};

/** An unknown field is reported first: a mistyped name explains why the right one is missing. */
const explain = (issues: readonly Issue[], input: unknown, whole: string): ApiError => {
  const [issue] = [...issues].sort((a, b) => Number(b.code === 'unrecognized_keys') - Number(a.code === 'unrecognized_keys'));
  if (!issue) return invalid(whole, 'is not valid');
  if (issue.code === 'unrecognized_keys') {
    return invalid(nameOf([...issue.path, issue.keys[0] ?? ''], whole), 'is not a known field', {
      unknownFields: issue.keys.slice(0, 20).map(shown),
    });
  }
  const allowed = issue.code === 'invalid_value' ? issue.values : undefined;
  if (!allowed) return invalid(nameOf(issue.path, whole), reasonOf(issue, input));
  // For an array of enumerated values the field is the array, and all invalid values are listed.
  const field = issue.path.filter((part) => typeof part !== 'number');
  const wrong = issues.filter(
    (other) =>
      other.code === 'invalid_value' &&
      nameOf(
        other.path.filter((part) => typeof part !== 'number'),
        whole,
      ) === nameOf(field, whole),
  );
  return invalid(nameOf(field, whole), `must be one of ${allowed.join(', ')}`, {
    invalidValues: wrong.slice(0, 20).map((other) => shown(valueAt(input, other.path))),
    allowedValues: allowed,
  });
};

const nameOf = (path: readonly PropertyKey[], whole: string): string =>
  path.length === 0 ? whole : path.map(String).join('.').slice(0, 200);

const valueAt = (input: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, part) => (value !== null && typeof value === 'object' ? (value as Record<PropertyKey, unknown>)[part] : undefined),
    input,
  );

/** The caller's value, truncated to a length that is safe to return. */
const shown = (value: unknown): unknown =>
  typeof value === 'string'
    ? value.slice(0, 100)
    : value === undefined || value === null || typeof value === 'number' || typeof value === 'boolean'
      ? (value ?? null)
      : typeof value;

const reasonOf = (issue: Issue, input: unknown): string =>
  issue.code === 'invalid_type' && valueAt(input, issue.path) === undefined
    ? 'is required'
    : issue.message.replace(/^Invalid input: /, '');
