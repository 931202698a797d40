const kinds = [
  ['complete', 'Complete', 'Every collection, every second'],
  ['interval', 'Per interval', 'A restore takes the last capture before'],
  ['partial', 'Partly', 'Only some collections are complete'],
  ['gap', 'Gap', 'Changes are missing'],
  ['sampled', 'Sampled', 'Capturing was interrupted and is not proven: short-lived documents may be missing'],
] as const;

/** What the patterns of the timeline mean. */
export const Legend = () => (
  <ul className="legend">
    {kinds.map(([kind, label, meaning]) => (
      <li key={kind} title={meaning}>
        <span className={`legend__swatch legend__swatch--${kind}`} aria-hidden="true" />
        {label}
        <span className="visually-hidden">: {meaning}</span>
      </li>
    ))}
  </ul>
);
