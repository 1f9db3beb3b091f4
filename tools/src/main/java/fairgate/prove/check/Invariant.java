package fairgate.prove.check;

/// The invariants of a flash sale, under any fault.
public enum Invariant {
  I1("free + held + confirmed = released, in Redis at every look"),
  I2("never more sold than released, in Redis and in the ledger"),
  I3("an answered purchase stands in the ledger"),
  I4("every reservation ends once, and alike in Redis and the ledger"),
  I5("one purchase per token, spent with it"),
  I6("same idempotency key, same answer; another request, 422"),
  I7("limits hold at every instant and are given back once"),
  I8("a reservation gives its units back at most once"),
  I9("paid or released, never both"),
  I10("money is kept with the order or given back once"),
  I11("the ledger is what its events say; no dead letters"),
  I12("no gaps in the numbers of events"),
  I13("a rebuilt sale sells nothing again; old tokens are void"),
  I14("while Redis is away nothing is granted"),
  I15("first come, first served; capacity; one place a device; places last"),
  I16("each batch is released once, at its time; nothing is sold before the opening"),
  I17("a code is claimed once, by one, for one order"),
  I18("free units and somebody waiting: somebody is let in"),
  I19("windows are judged by one clock"),
  I20("what operators did is in the audit log"),
  I21("Kafka comes back empty: all that Redis counted reaches the ledger"),
  I22("what is answered 503 uses up no limit"),
  I23("no call is answered 500; 503 is an answer"),
  I24("Redis counts of each network the places and units that it has"),
  I25("rooms: visitors inside and reserved slots are never more than the capacity"),
  I26("rooms: nobody enters before the cursor, nor before a smaller ticket that is present"),
  I27("rooms: a turn is used once, and only with the secret of its place"),
  I28("rooms: whoever is present keeps the place"),
  I29("rooms: gone tickets and places are those of brute force"),
  I30("no more money of a payment goes back than it brought"),
  I31("rooms: a pass joins a sale with one browser, and with none after its release"),
  I32("draws: an answered entry is in the sealed list; a withdrawal is in the log"),
  I33("draws: one seal, one beacon, one result, one report"),
  I34("draws: the lowest lots get the offers, and only they buy"),
  I35("draws: the report adds up, and says what was sold"),
  I36("a ticket is checked in once, and an answered check-in is kept"),
  I37("draws: the round of the rules decides, or a later one after all before it were given up"),
  I38("replicated: an answered purchase survives the loss of the primary Redis"),
  I39("rooms: an absent visitor's place ends, and what has ended stays so, in a new room as well"),
  I40("rooms: a drawn order is that of its one announcement and of a round that came later"),
  I41("rooms: a browser gets no second ticket while its visit goes on"),
  I42("draws: offered and bought units are at most those of the rules, which the sale has"),
  I43("turns begin in the order of admission, and only while units are free for them"),
  I44("no order expires for time in which the payment provider failed"),
  I45("waiting list: earlier places first, then the list in its order, then later places"),
  I46("deposits: each ends once, as counted, returned or kept, and its money with it");

  private final String meaning;

  Invariant(String meaning) {
    this.meaning = meaning;
  }

  public String meaning() {
    return meaning;
  }
}
