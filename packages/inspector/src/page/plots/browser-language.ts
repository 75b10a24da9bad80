/**
 * Gives the page a language that `Intl` accepts. On Linux without a locale, Chromium reports `en-US@posix`, with which uPlot throws
 * while it is loaded.
 */
export function correctLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
  }
}
