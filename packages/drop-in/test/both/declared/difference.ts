import ts from 'typescript';

/** A place at which two types differ. */
export interface Difference {
  /** From the compared name, as in `message.content[].text`; empty for the type itself. */
  readonly path: string;
  /** What each side has there, as the compiler prints it. */
  readonly official: string;
  readonly dropIn: string;
}

const ABSENT = '(none)';
const PRINTED = ts.TypeFormatFlags.NoTruncation;
const SHORT = 400;

/**
 * Compares types by their structure, with the compiler's own view of them: properties, optional ones too, members of unions,
 * signatures, index signatures. Assignability alone accepts a type that lacks an optional property, which a program cannot read then.
 */
export class Structure {
  readonly #checker: ts.TypeChecker;
  readonly #known = new Map<ts.Type, Map<ts.Type, readonly Difference[]>>();

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  /** All places at which the types differ. A pair that is being compared counts as equal, which ends recursive types. */
  differences(official: ts.Type, dropIn: ts.Type): readonly Difference[] {
    if (official === dropIn) return [];
    const known = this.#known.get(official) ?? new Map<ts.Type, readonly Difference[]>();
    this.#known.set(official, known);
    const before = known.get(dropIn);
    if (before !== undefined) return before;
    known.set(dropIn, []);
    const found = this.#compare(official, dropIn);
    known.set(dropIn, found);
    return found;
  }

  #compare(official: ts.Type, dropIn: ts.Type): readonly Difference[] {
    if (official.isUnion() || dropIn.isUnion()) return this.#unions(membersOf(official), membersOf(dropIn));
    if (isStructured(official) && isStructured(dropIn)) return this.#objects(official, dropIn);
    const [one, other] = [this.#print(official), this.#print(dropIn)];
    return one === other ? [] : [{ path: '', official: one, dropIn: other }];
  }

  #unions(official: readonly ts.Type[], dropIn: readonly ts.Type[]): readonly Difference[] {
    // A member may be the same as several of the other side: two names for one structure.
    const same = (one: ts.Type, other: ts.Type) => this.differences(one, other).length === 0;
    const unmatched = official.filter((member) => !dropIn.some((other) => same(member, other)));
    const left = new Set(dropIn.filter((member) => !official.some((other) => same(other, member))));
    const found: Difference[] = [];
    const missing: ts.Type[] = [];
    for (const member of unmatched) {
      const nearest = this.#nearest(member, [...left]);
      if (nearest === undefined) missing.push(member);
      else {
        left.delete(nearest);
        found.push(...within(this.#label(member), this.differences(member, nearest)));
      }
    }
    if (missing.length === 0 && left.size === 0) return found;
    return [...found, { path: '', official: this.#printAll(missing), dropIn: this.#printAll([...left]) }];
  }

  /** The member of a union that was meant to be the same: the same tags, then the fewest differences. */
  #nearest(member: ts.Type, others: readonly ts.Type[]): ts.Type | undefined {
    if (!isStructured(member)) return undefined;
    const tags = this.#tags(member);
    const candidates = others.filter((other) => {
      if (!isStructured(other)) return false;
      const theirs = this.#tags(other);
      return [...tags].every(([name, value]) => !theirs.has(name) || theirs.get(name) === value);
    });
    const cost = (other: ts.Type) => this.differences(member, other).length;
    return candidates.sort((one, other) => cost(one) - cost(other))[0];
  }

  /** The properties with a literal type, which tell the members of a union apart. */
  #tags(type: ts.Type): Map<string, string> {
    const tags = new Map<string, string>();
    for (const property of this.#checker.getPropertiesOfType(type)) {
      const value = this.#checker.getTypeOfSymbol(property);
      if (value.isStringLiteral()) tags.set(property.name, value.value);
    }
    return tags;
  }

  #label(type: ts.Type): string {
    const tags = this.#tags(type);
    const tag = ['subtype', 'type', 'hook_event_name', 'hookEventName', 'behavior'].find((name) => tags.has(name));
    return tag === undefined ? '' : `<${tags.get(tag)}>`;
  }

  #objects(official: ts.Type, dropIn: ts.Type): readonly Difference[] {
    const elements = this.#elements(official, dropIn);
    if (elements !== undefined) return elements;
    return [
      ...this.#properties(official, dropIn),
      ...this.#indexes(official, dropIn),
      ...this.#signatures(official, dropIn, ts.SignatureKind.Call),
      ...this.#signatures(official, dropIn, ts.SignatureKind.Construct),
    ];
  }

  /** The type arguments of two instances of one generic type, such as arrays; `undefined` for other types. */
  #elements(official: ts.Type, dropIn: ts.Type): readonly Difference[] | undefined {
    const [one, other] = [asReference(official), asReference(dropIn)];
    if (one === undefined || other === undefined) return undefined;
    if (one.target !== other.target) {
      const sequence = (type: ts.Type) => this.#checker.isArrayLikeType(type);
      if (!sequence(one) && !sequence(other)) return undefined;
      return [{ path: '', official: this.#print(one), dropIn: this.#print(other) }];
    }
    const [ours, theirs] = [this.#checker.getTypeArguments(one), this.#checker.getTypeArguments(other)];
    const place = this.#checker.isArrayLikeType(one) ? '[]' : `<${one.symbol.name}>`;
    return ours.flatMap((argument, index) => {
      const against = theirs[index];
      return against === undefined ? [] : within(place, this.differences(argument, against));
    });
  }

  #properties(official: ts.Type, dropIn: ts.Type): readonly Difference[] {
    const others = new Map(this.#visible(dropIn).map((property) => [property.name, property]));
    const found: Difference[] = [];
    for (const property of this.#visible(official)) {
      const name = nameOf(property);
      const other = others.get(property.name);
      others.delete(property.name);
      if (other === undefined) found.push({ path: name, official: this.#printProperty(property), dropIn: ABSENT });
      else found.push(...within(name, this.#property(property, other)));
    }
    for (const [, extra] of others) {
      found.push({ path: nameOf(extra), official: ABSENT, dropIn: this.#printProperty(extra) });
    }
    return found;
  }

  #property(official: ts.Symbol, dropIn: ts.Symbol): readonly Difference[] {
    const [one, other] = [marksOf(official), marksOf(dropIn)];
    const marks = one === other ? [] : [{ path: '', official: one, dropIn: other }];
    // The type of an optional property contains `undefined`.
    const members = (symbol: ts.Symbol) =>
      membersOf(this.#checker.getTypeOfSymbol(symbol)).filter(
        (member) => !isOptional(symbol) || !(member.flags & ts.TypeFlags.Undefined),
      );
    const [ours, theirs] = [members(official), members(dropIn)];
    const [only, theOther] = ours.length === 1 && theirs.length === 1 ? [ours[0], theirs[0]] : [];
    return [...marks, ...(only && theOther ? this.differences(only, theOther) : this.#unions(ours, theirs))];
  }

  /** The properties that a program can use. */
  #visible(type: ts.Type): ts.Symbol[] {
    const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
    return this.#checker.getPropertiesOfType(type).filter((property) => {
      if (property.name.startsWith('__#')) return false;
      const declared = property.declarations?.[0];
      return declared === undefined || (ts.getCombinedModifierFlags(declared) & hidden) === 0;
    });
  }

  #indexes(official: ts.Type, dropIn: ts.Type): readonly Difference[] {
    const indexes = (type: ts.Type) =>
      new Map(this.#checker.getIndexInfosOfType(type).map((info) => [this.#print(info.keyType), info.type]));
    const [one, other] = [indexes(official), indexes(dropIn)];
    return [...new Set([...one.keys(), ...other.keys()])].flatMap((key) => {
      const [ours, theirs] = [one.get(key), other.get(key)];
      if (ours !== undefined && theirs !== undefined) return within(`[${key}]`, this.differences(ours, theirs));
      const print = (type: ts.Type | undefined) => (type === undefined ? ABSENT : this.#print(type));
      return [{ path: `[${key}]`, official: print(ours), dropIn: print(theirs) }];
    });
  }

  #signatures(official: ts.Type, dropIn: ts.Type, kind: ts.SignatureKind): readonly Difference[] {
    const [ours, theirs] = [official, dropIn].map((type) => this.#checker.getSignaturesOfType(type, kind));
    if (ours === undefined || theirs === undefined) return [];
    if (ours.length !== theirs.length) {
      const count = (all: readonly ts.Signature[]) => `${all.length} signatures`;
      return [{ path: '()', official: count(ours), dropIn: count(theirs) }];
    }
    return ours.flatMap((signature, index) => {
      const other = theirs[index];
      return other === undefined ? [] : this.#signature(signature, other);
    });
  }

  #signature(official: ts.Signature, dropIn: ts.Signature): readonly Difference[] {
    const [ours, theirs] = [official.parameters, dropIn.parameters];
    const found: Difference[] = [];
    for (let index = 0; index < Math.max(ours.length, theirs.length); index += 1) {
      const [one, other] = [ours[index], theirs[index]];
      const place = `(${(one ?? other)?.name})`;
      if (one !== undefined && other !== undefined) found.push(...within(place, this.#parameter(one, other)));
      else {
        const print = (symbol: ts.Symbol | undefined) => (symbol === undefined ? ABSENT : this.#printProperty(symbol));
        found.push({ path: place, official: print(one), dropIn: print(other) });
      }
    }
    return [...found, ...within('()', this.differences(official.getReturnType(), dropIn.getReturnType()))];
  }

  #parameter(official: ts.Symbol, dropIn: ts.Symbol): readonly Difference[] {
    const marks = [official, dropIn].map((symbol) => {
      const declared = symbol.valueDeclaration;
      return declared && ts.isParameter(declared) && this.#checker.isOptionalParameter(declared)
        ? 'optional'
        : 'required';
    });
    const [one = '', other = ''] = marks;
    return [
      ...(one === other ? [] : [{ path: '', official: one, dropIn: other }]),
      ...this.differences(this.#checker.getTypeOfSymbol(official), this.#checker.getTypeOfSymbol(dropIn)),
    ];
  }

  #printProperty(symbol: ts.Symbol): string {
    return this.#print(this.#checker.getTypeOfSymbol(symbol));
  }

  #printAll(members: readonly ts.Type[]): string {
    return members.length === 0 ? ABSENT : shortened(members.map((member) => this.#print(member)).join(' | '));
  }

  #print(type: ts.Type): string {
    const text = this.#checker.typeToString(type, undefined, PRINTED);
    return shortened(/^\w+$/.test(text) && isStructured(type) ? this.#printFields(type) : text);
  }

  /** A name alone would not tell how the types differ. */
  #printFields(type: ts.Type): string {
    const fields = this.#visible(type).map((field) => {
      const mark = isOptional(field) ? '?' : '';
      const value = this.#checker.typeToString(this.#checker.getTypeOfSymbol(field), undefined, PRINTED);
      return `${nameOf(field)}${mark}: ${value}`;
    });
    return `{ ${fields.join('; ')} }`;
  }
}

function shortened(text: string): string {
  return text.length > SHORT ? `${text.slice(0, SHORT)}…` : text;
}

function membersOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type];
}

/** Types with properties; a type parameter and an unresolved conditional type have none of their own. */
function isStructured(type: ts.Type): boolean {
  if (type.isIntersection()) return type.types.every(isStructured);
  return (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.NonPrimitive)) !== 0;
}

function asReference(type: ts.Type): ts.TypeReference | undefined {
  const flags = type.flags & ts.TypeFlags.Object ? (type as ts.ObjectType).objectFlags : 0;
  // The flag says that it is one.
  return flags & ts.ObjectFlags.Reference ? (type as ts.TypeReference) : undefined;
}

function isOptional(symbol: ts.Symbol): boolean {
  return (symbol.flags & ts.SymbolFlags.Optional) !== 0;
}

function marksOf(symbol: ts.Symbol): string {
  const declared = symbol.valueDeclaration;
  const readonly = declared && (ts.getCombinedModifierFlags(declared) & ts.ModifierFlags.Readonly) !== 0;
  return `${readonly ? 'readonly ' : ''}${isOptional(symbol) ? 'optional' : 'required'}`;
}

/** A symbol key such as `Symbol.dispose` has a name with an id of the compiler in it. */
function nameOf(symbol: ts.Symbol): string {
  return symbol.name.replace(/^__@(\w+)@\d+$/, '[Symbol.$1]');
}

function within(place: string, differences: readonly Difference[]): readonly Difference[] {
  return differences.map(({ path, ...rest }) => ({ path: joined(place, path), ...rest }));
}

function joined(place: string, path: string): string {
  return place === '' || path === '' || /^[[(<]/.test(path) ? place + path : `${place}.${path}`;
}
