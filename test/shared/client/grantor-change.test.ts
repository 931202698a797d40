import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { grantorChange } from '../../../shared/client/index.ts';
import { roles } from '../../../shared/contract/access.ts';

test('grantorChange: a person who may no longer grant keys is named', () => {
  deepEqual(
    [null, ...roles].map((role) => grantorChange({ email: 'ada@example.com', role })),
    [
      'ada@example.com is no longer a member',
      'ada@example.com is no longer an admin',
      'ada@example.com is no longer an admin',
      undefined,
      undefined,
    ],
  );
});
