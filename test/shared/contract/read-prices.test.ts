import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { readPriceOf, usdOf } from '../../../shared/contract/read-prices.ts';

test('a location has its own price; another one, and one that is not known, the dearest of its edition', () => {
  deepEqual(readPriceOf({ edition: 'standard', locationId: 'us-central1' }), {
    ...{ unit: 'document', usdPerMillion: 0.3, usdPerMillionChanges: 0.3, isOfLocation: true },
  });
  deepEqual(readPriceOf({ edition: 'standard', locationId: 'moon-1' }), readPriceOf({}));
  equal(readPriceOf({}).usdPerMillion, 0.6);
  equal(readPriceOf({ edition: 'enterprise', locationId: 'eur3' }).isOfLocation, false);
});

test('three million reads in the dearest location are 1.80 dollars', () => {
  equal(usdOf(3_000_000, readPriceOf({}).usdPerMillion), 1.8);
});
