import { backupContents } from '../endpoints/backup-contents.ts';
import {
  BackupConfiguration,
  CompositeIndex,
  Configuration,
  ConfigurationDiff,
  ConfigurationDifference,
  ConfigurationRestore,
  ConfigurationStep,
  DatabaseSettings,
  FieldSettings,
  IndexedField,
  RulesRelease,
} from '../models/configuration.ts';
import { fieldTexts } from './field-texts.ts';

export const configurationDescriptions = [
  fieldTexts(BackupConfiguration, {
    configuration:
      'Null if the backup was made before configurations were captured, by a restore for itself, or for a point in time',
  }),
  fieldTexts(Configuration, {
    capturedAt: 'When it was read, a moment before the documents',
    settings: 'Of the database itself',
    indexes: 'Composite and vector indexes',
    fields: 'Fields whose single-field indexes or TTL policy differ from what they inherit',
    rules: 'The security rules of the database, and of the buckets of Firebase Storage in its project',
  }),
  fieldTexts(DatabaseSettings, {
    pointInTimeRecovery: 'Whether Google keeps the versions of seven days',
    deleteProtection: 'Whether the database can be deleted',
  }),
  fieldTexts(CompositeIndex, {
    queryScope: 'COLLECTION or COLLECTION_GROUP, as all values in the words of Google’s Admin API',
    fields: 'In order. Google adds the name of the document at the end',
  }),
  fieldTexts(IndexedField, { vectorDimension: 'Of a vector index' }),
  fieldTexts(FieldSettings, {
    fieldPath: '* is every field of the collection group',
    indexes: 'Instead of the inherited ones; empty if the field is not indexed, null if it inherits them',
    ttl: 'Whether documents are deleted when the time in this field has passed',
  }),
  fieldTexts(RulesRelease, { release: 'cloud.firestore, or firebase.storage/ and the name of a bucket' }),
  fieldTexts(backupContents.configurationDiff.query, { against: 'The id of another backup of the project, or live' }),
  fieldTexts(ConfigurationDiff, {
    capturedAt: 'When each side was read',
    withoutConfiguration: 'Sides that hold no configuration: then nothing was compared',
    unknown: 'Parts that one side does not know, such as for lack of a permission',
    equal: 'How many things are the same on both sides',
  }),
  fieldTexts(ConfigurationDifference, {
    name: 'An index as its collection group and fields; a field as its collection group and path; a release of rules',
    before: 'In the backup; of rules the text',
    after: 'In what it is compared with',
  }),
  fieldTexts(backupContents.configurationRestore.body, {
    parts: 'What is restored; everything by default',
    targetProjectId: 'Another connected project; by default the one that was backed up',
    dryRun: 'true only plans',
  }),
  fieldTexts(ConfigurationRestore, {
    complete: 'Whether everything that can be restored is in the target and ready',
    unknown: 'Parts that are not restored, because one side is not known',
  }),
  fieldTexts(ConfigurationStep, {
    action:
      'create and change are written. equal is there already. building was created and is not ready yet. kept is not written, because it would weaken a protection. impossible cannot be written; reason says why',
    percent: 'How far an index is that is being built, if Google tells',
    outcome: 'Null in a plan, and for what is not written. not_reached: repeat the call',
    error: 'Why it failed, in the words of Google',
  }),
];
