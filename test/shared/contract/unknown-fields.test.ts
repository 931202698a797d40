/** Decisions section 1: nothing that a caller sends is silently ignored. */
import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { endpoints } from '../../../shared/contract/index.ts';
import { inputSchema, type Schema } from '../../../shared/contract/openapi/json-schema.ts';

const isClosed = ({ anyOf, oneOf, additionalProperties }: Schema): boolean => {
  const choices = (anyOf ?? oneOf) as readonly Schema[] | undefined;
  return choices ? choices.every(isClosed) : additionalProperties === false;
};

test('endpoints: all refuse unknown query parameters and fields, except those of sign-in that must ignore them', () =>
  deepEqual(
    endpoints
      .filter(({ query, body }) => [query, body].some((schema) => schema && !isClosed(inputSchema(schema))))
      .map(({ id }) => id)
      .sort(),
    // RFC 6749 section 3.2, and parameters of the identity provider.
    ['auth.callback', 'auth.refresh', 'auth.token'],
  ));
