export function pictures() { return {}; }
