export { changeLedger, createErasure, foundPathsMaxBytes, sealEntry } from './create-erasure.ts';
export { checkErasureInput, type ErasureInput, erasureContent } from './erasure-input.ts';
export { erasureData, listErasures, readErasure } from './list-erasures.ts';
export { erasuresIn, loadFilter } from './load-filter.ts';
export { entriesOf, ledgerKey, openEntry, openLedger, readLedger } from './read-ledger.ts';
export { type ErasureRecord, entriesPrefix, erasureKey, type LedgerRecord } from './record.ts';
