/** What the protection of a project reads a day. */
import * as z from 'zod/mini';
import { ShownReadPrice } from './project.ts';

/**
 * changes: documents sent by listeners. lookups: states between two of them. listing: root collections, and the time of the source.
 * proofs: seconds of interruptions. counts: that no collection is missing. audit: documents read again. bases and backups: those
 * that ended on the day, with their probes.
 */
export const readKinds = ['changes', 'lookups', 'listing', 'proofs', 'counts', 'audit', 'bases', 'backups'] as const;
export type ReadKind = (typeof readKinds)[number];

const count = z.int();
export const ReadsByKind = z.object({
  changes: count,
  lookups: count,
  listing: count,
  proofs: count,
  counts: count,
  audit: count,
  bases: count,
  backups: count,
});
const total = { reads: count, estimatedUsd: z.number() };
const ReadTotal = z.object(total);

export const ReadDay = z.object({ date: z.string(), ...ReadsByKind.shape, ...total, exceeded: z.boolean() });

/** Reads a day with a setting. */
export const ReadForecast = z.object({ ...ReadsByKind.shape, ...total });
export const ReadChoice = z.object({
  setting: z.string(),
  value: z.string(),
  current: z.boolean(),
  ...total,
  consequence: z.nullable(z.string()),
});

/** What capture would save a schedule. */
export const CaptureOffer = z.object({
  scheduleId: z.string(),
  now: ReadTotal,
  withCapture: ReadTotal,
  text: z.string(),
  assumption: z.string(),
});

export const ProjectReads = z.object({
  projectId: z.string(),
  readPrice: ShownReadPrice,
  documents: z.nullable(count),
  changedPerDay: z.nullable(count),
  budget: z.object({ ...total, isDefault: z.boolean() }),
  auditDays: z.nullable(count),
  countsPerDay: count,
  forecast: z.nullable(ReadForecast),
  consequences: z.array(z.string()),
  choices: z.array(ReadChoice),
  offers: z.array(CaptureOffer),
  days: z.array(ReadDay),
});
