import { Link, useNavigate } from '@tanstack/react-router';
import { FindBox } from '../../parts/find-box.tsx';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';

/** The way back for one document: by its name, or from what was deleted lately. */
export const FindCard = () => {
  const navigate = useNavigate();
  return (
    <Card>
      <FindBox
        onFind={(path) => void navigate({ to: paths.findDocument({ path }) })}
        hint={
          <>
            Paste a path, an id, or an address of Google’s console. Or see what was{' '}
            <Link to={paths.findDocument()}>deleted lately</Link>.
          </>
        }
      />
    </Card>
  );
};
