import { useState } from 'react';
import { Checkbox } from '../../ui/form/field.tsx';
import { searchKeys } from '../../ui/keyboard.ts';
import { Dialog } from '../../ui/overlay/dialog.tsx';
import { hasSingleKeys, setSingleKeys, shortcuts } from './shortcuts.ts';

const groups = (): readonly (readonly [string, readonly { readonly keys: readonly string[]; readonly label: string }[]])[] => [
  [
    'Everywhere',
    [
      { keys: searchKeys(), label: 'Search projects, backups, pages and actions' },
      { keys: ['/'], label: 'Go to the search of the page' },
      { keys: ['?'], label: 'Show the shortcuts' },
      { keys: ['Esc'], label: 'Close' },
    ],
  ],
  ['Start', shortcuts.actions],
  ['Go to', shortcuts.pages],
];

/** All keys of the console. */
export const ShortcutsDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const [isOn, setOn] = useState(hasSingleKeys);
  return (
    <Dialog open wide onClose={onClose} title="Keyboard shortcuts">
      <div className="shortcuts">
        {groups().map(([title, entries]) => (
          <section key={title} className="stack stack--close" aria-label={title}>
            <h3 className="small muted">{title}</h3>
            <dl className="shortcuts__list">
              {entries.map(({ keys, label }) => (
                <div key={label}>
                  <dt>{label}</dt>
                  <dd>
                    {keys.map((key) => (
                      <kbd key={key}>{key}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Checkbox
        label="Single keys work while no field has the focus"
        checked={isOn}
        onChange={({ target }) => {
          setSingleKeys(target.checked);
          setOn(target.checked);
        }}
      />
    </Dialog>
  );
};
