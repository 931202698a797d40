/** Descriptions of masked copies. */
import { RuleMatch, TransformPreview, TransformRule, TransformSummary } from '../models/transform.ts';
import { type FieldTexts, fieldTexts } from './field-texts.ts';

export const transformDescriptions: readonly FieldTexts[] = [
  fieldTexts(TransformRule, {
    collection: 'Path of collections, such as users, users/*/orders, **/orders or * for all',
    field: 'Path of fields, such as email, address.street, contacts.*.phone, cards[].number, **.email or *',
    type: 'Of a fake: the kind of value',
  }),
  fieldTexts(RuleMatch, { documents: 'Documents in which the rule found its field; null until the whole backup is checked' }),
  fieldTexts(TransformSummary, {
    rules: 'Number of rules',
    documentsTransformed:
      'Documents in scope that the rules change, whether or not they needed a write; null until all are checked',
    fieldsTransformed: 'Values in these documents that the rules change; null until all are checked',
    unmatchedRules: 'Rules that found no field, with allowUnmatched; the first 100',
  }),
  fieldTexts(TransformPreview, {
    rules: 'Rules that found their field in the document; the first 20',
    truncated: 'Whether only changed fields are shown, as far as they fit, because the document is large',
  }),
];
