/** Labels of projects: keys and values by which they are found, such as `team=shop`. */
import * as z from 'zod/mini';
import { labelsMax } from './limits.ts';

const lengthMax = 63;
const key = `[a-z][a-z0-9_.-]{0,${lengthMax - 1}}`;
const value = `[A-Za-z0-9][A-Za-z0-9 _.:/@-]{0,${lengthMax - 1}}`;

const keyPattern = new RegExp(`^${key}$`);
const keyMessage = `keys must begin with a small letter and consist of at most ${lengthMax} small letters, digits, _, . and -`;
const hasValidKeys = (labels: object): boolean => Object.keys(labels).every((name) => keyPattern.test(name));
const LabelValue = z
  .string('must be text')
  .check(
    z.regex(
      new RegExp(`^${value}$`),
      `must begin with a letter or digit and consist of at most ${lengthMax} letters, digits, spaces and _ . : / @ -`,
    ),
  );
export const tooManyLabels = `must have at most ${labelsMax} entries`;
const examples = [{ team: 'shop', env: 'production' }];

export const Labels = z.record(z.string(), LabelValue).check(
  z.refine(hasValidKeys, keyMessage),
  z.refine((labels) => Object.keys(labels).length <= labelsMax, tooManyLabels),
  z.meta({ examples }),
);

/** Only the given labels change; null removes one. How many there are afterwards is checked with those of the project. */
export const LabelsChange = z
  .record(z.string(), z.nullable(LabelValue))
  .check(z.refine(hasValidKeys, keyMessage), z.meta({ examples }));

/** `team=shop`, or `team` for any value; several, separated by commas, must all match. */
export const LabelSelector = z
  .string()
  .check(
    z.regex(
      new RegExp(`^${key}(=${value})?(,${key}(=${value})?){0,${labelsMax - 1}}$`),
      'must be key=value or key; several are separated by commas',
    ),
    z.meta({ examples: ['team=shop'] }),
  );
