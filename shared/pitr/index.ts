export {
  type Base,
  type BatchRecord,
  batchPrefix,
  capturingPartition,
  type Gap,
  type PitrRecord,
  pitrKey,
  pitrPrefix,
  type TokensRecord,
} from './record.ts';
