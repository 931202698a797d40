import { modeWords } from '../../data/restore-words.ts';
import type { MergeMode } from '../../data/restores.ts';
import { Badge, type Tone } from '../../ui/data/badge.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Checkbox, Input } from '../../ui/form/field.tsx';
import { RadioCards } from '../../ui/form/radio-cards.tsx';
import type { Source } from './use-source.ts';
import type { Wizard } from './wizard-state.ts';

interface StepProps {
  readonly wizard: Wizard;
  readonly source: Source;
}

/** The service's default first; a document that was lost or damaged comes back as it was. The one that deletes is last. */
const modes: readonly (readonly [MergeMode, ...(readonly (readonly [word: string, tone: Tone])[])])[] = [
  ['overwrite', ['Usual choice', 'info'], ['Overwrites', 'warn']],
  ['skip_existing', ['Changes nothing that exists', 'good']],
  ['merge', ['Overwrites fields', 'warn']],
  ['rollback', ['Overwrites', 'warn'], ['Deletes', 'bad']],
];
const writesMax = 10_000;

export const ModeStep = ({ wizard: { choice, choose }, source: { backup } }: StepProps) => {
  const noRollback =
    backup?.trigger === 'safety' || backup?.partial
      ? 'This backup has single documents only: a document that it lacks may have existed. Undo the restore that made it instead.'
      : undefined;
  return (
    <div className="stack">
      <RadioCards<MergeMode>
        legend="Mode"
        value={choice.mode}
        onChange={(mode) => choose({ mode })}
        cards={modes.map(([mode, ...badges]) => ({
          value: mode,
          title: (
            <>
              {modeWords[mode].name}
              {badges.map(([word, tone]) => (
                <Badge key={word} tone={tone}>
                  {word}
                </Badge>
              ))}
            </>
          ),
          children: (
            <>
              {modeWords[mode].what} <span className="wizard__consequence">{modeWords[mode].consequence}</span>
            </>
          ),
          disabledReason: mode === 'rollback' ? noRollback : undefined,
          tone: mode === 'rollback' ? 'bad' : undefined,
        }))}
      />
      <Checkbox
        label="Save what is replaced or deleted first"
        hint="A safety backup of exactly these documents. With it you can undo the restore for 7 days."
        checked={choice.safetyBackup}
        onChange={({ target }) => choose({ safetyBackup: target.checked })}
      />
      {!choice.safetyBackup && (
        <Notice tone="bad" title="This restore cannot be undone">
          What it replaces or deletes is gone, unless another backup has it.
        </Notice>
      )}
      <details className="wizard__more" open={choice.maxWritesPerSecond !== undefined}>
        <summary>Limit the speed</summary>
        <Input
          label="Writes per second"
          hint="Leave it empty to ramp up by Google's 500/50/5 rule. A limit leaves capacity for your application."
          optional
          type="number"
          min={1}
          max={writesMax}
          value={choice.maxWritesPerSecond ?? ''}
          onChange={({ target }) => {
            const limit = Number(target.value);
            choose({ maxWritesPerSecond: Number.isInteger(limit) && limit > 0 ? Math.min(limit, writesMax) : undefined });
          }}
        />
      </details>
    </div>
  );
};
