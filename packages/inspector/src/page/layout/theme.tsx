import { signal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { Icon } from './icon.tsx';

const KEY = 'coxswain-theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

/** The current theme: the user's choice, or else the system's. */
export const theme = signal<'light' | 'dark'>(chosen() ?? systemTheme());

dark.addEventListener('change', () => {
  if (chosen() === null) theme.value = systemTheme();
});

theme.subscribe((value) => {
  document.documentElement.dataset.theme = value;
});

/** Switches between light and dark. */
export function ThemeButton(): ComponentChild {
  const other = theme.value === 'dark' ? 'light' : 'dark';
  return (
    <button
      type="button"
      class="button button-plain button-icon"
      aria-label={`Use the ${other} theme`}
      title={`Use the ${other} theme`}
      onClick={() => {
        theme.value = other;
        remember(other);
      }}
    >
      <Icon name={other === 'dark' ? 'moon' : 'sun'} />
    </button>
  );
}

function systemTheme(): 'light' | 'dark' {
  return dark.matches ? 'dark' : 'light';
}

function chosen(): 'light' | 'dark' | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === 'light' || value === 'dark' ? value : null;
  } catch {
    return null; // storage is disabled
  }
}

function remember(value: 'light' | 'dark'): void {
  try {
    localStorage.setItem(KEY, value);
  } catch {
    // Storage is disabled: the choice lasts until the page is closed.
  }
}
