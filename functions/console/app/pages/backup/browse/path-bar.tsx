import { Link } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { paths } from '../../../paths.ts';
import { Button } from '../../../ui/form/button.tsx';
import { ButtonLink } from '../../../ui/form/button-link.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { cleanPath, pathProblem } from './document-path.ts';

interface PathBarProps {
  readonly backupId: string;
  readonly path: string;
  readonly onGo: (path: string) => void;
}

/** Where the person is, and a field to go anywhere else by its path. */
export const PathBar = ({ backupId, path, onGo }: PathBarProps) => {
  const parts = path === '' ? [] : path.split('/');
  return (
    <div className="browse__bar">
      <nav className="browse__crumbs" aria-label="Path">
        <Link to="." search={{} as never} activeOptions={{ exact: true }}>
          Database
        </Link>
        {parts.map((part, n) => {
          const to = parts.slice(0, n + 1).join('/');
          return (
            <Fragment key={to}>
              <Icon name="chevronRight" size={12} />
              <Link to="." search={{ path: to } as never} activeOptions={{ exact: true }}>
                {part}
              </Link>
            </Fragment>
          );
        })}
      </nav>
      <JumpForm key={path} onGo={onGo} />
      <ButtonLink variant="quiet" icon="search" to={paths.search({ backupId })}>
        Search by value
      </ButtonLink>
    </div>
  );
};

const JumpForm = ({ onGo }: Pick<PathBarProps, 'onGo'>) => {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | undefined>();
  const go = (): void => {
    const to = cleanPath(text);
    const found = pathProblem(to);
    setProblem(found);
    if (found === undefined) onGo(to);
  };
  return (
    <form
      className="browse__jump"
      onSubmit={(event) => {
        event.preventDefault();
        go();
      }}
    >
      <input
        className="input input--mono"
        type="search"
        aria-label="Go to a path"
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={problem ? 'browse-problem' : undefined}
        placeholder="Go to users/ada"
        spellCheck={false}
        autoCapitalize="off"
        autoComplete="off"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Button type="submit" icon="search">
        Open
      </Button>
      {problem && (
        <div className="field__error" id="browse-problem">
          <Icon name="alert" /> {problem}
        </div>
      )}
    </form>
  );
};
