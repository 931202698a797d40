import type { Coverage } from './coverage.ts';

const kinds = [
  ['complete', 'Complete', 'Every collection, every second'],
  ['interval', 'Per interval', 'A restore takes the last capture before'],
  ['partial', 'Partly', 'Only some collections are complete'],
  ['gap', 'Gap', 'Changes are missing'],
  ['sampled', 'Not proven', 'Capturing was interrupted: short-lived documents may be missing'],
] as const;

/** What the patterns of the timeline mean, of those that it has. */
export const Legend = ({ coverage: { windows, gaps, sampled } }: { readonly coverage: Coverage }) => {
  const shown = {
    complete: true,
    interval: windows.some(({ isComplete, isInterval }) => isComplete && isInterval),
    partial: windows.some(({ isComplete }) => !isComplete),
    gap: gaps.length > 0,
    sampled: sampled.length > 0,
  };
  return (
    <ul className="legend">
      {kinds
        .filter(([kind]) => shown[kind])
        .map(([kind, label, meaning]) => (
          <li key={kind}>
            <span className={`legend__swatch legend__swatch--${kind}`} aria-hidden="true" />
            <span>
              {label}: <span className="muted">{meaning.charAt(0).toLowerCase() + meaning.slice(1)}</span>
            </span>
          </li>
        ))}
    </ul>
  );
};
