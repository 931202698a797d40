/** The workers of restore tests. */
export const restoreTestWorkers = {
  restoreTestRun: {
    entry: 'functions/restore-test/workflow.ts',
    handler: 'run',
    summary: 'Continues the run of a restore test: reads, restores, compares, removes and records evidence',
    trigger: 'step',
    timeoutSeconds: 900,
    // A full core, as the steps of backups and restores.
    memoryMegabytes: 1_769,
    capabilities: [
      'table:write',
      'source:read',
      'destination:use',
      'data-key:open',
      'data-key:name',
      'restore-test:send',
      'evidence:sign',
    ],
  },
  restoreTestReap: {
    entry: 'functions/restore-test/workflow.ts',
    handler: 'reap',
    summary: 'Every few minutes: continues restore tests whose workflow died',
    trigger: 'clock',
    timeoutSeconds: 300,
    capabilities: ['table:write', 'restore-test:watch', 'restore-test:start'],
  },
} as const;
