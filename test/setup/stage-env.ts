/** Setup file of the project `stage`: hands the running stage to each test file. */
import { inject } from 'vitest';

Object.assign(process.env, inject('stage'));
