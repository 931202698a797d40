/** Permissions no test run uses that stay all the same, each with the reason. One that a test begins to use must go from here. */
import type { Kept } from './report.ts';

export const kept: readonly Kept[] = [];
