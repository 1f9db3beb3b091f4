package fairgate.draw.verify;

import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.Allotment;
import fairgate.draw.leaf.Allotment.Status;
import fairgate.draw.leaf.BeaconRound;
import fairgate.draw.leaf.DrawRules;
import fairgate.draw.leaf.EntryLeaf;
import fairgate.draw.leaf.HouseLeaf;
import fairgate.draw.leaf.HouseLeaf.AllocationReport;
import fairgate.draw.leaf.HouseLeaf.EntryRef;
import fairgate.draw.lots.DrawOrder;
import fairgate.draw.lots.Lots;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.HashList;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.MerkleBuilder;
import fairgate.draw.tlog.SignerKey;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.VerifierKey;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/// A random draw, signed with test keys and decided by a test chain; honest, or with one cheat.
/// Equal parameters give equal bytes.
public final class TestDraw {
  private static final String HOUSE = "shop.example/fairgate/";
  private static final long TOO_LARGE = 1_000_000_000_001L;

  /// The rules of draws from this number on name the product 27.
  static final long WITH_PRODUCT = 90_000;

  private final Random random;
  private final Optional<Cheat> cheat;
  private final boolean hasWitnesses;
  private final String product;

  /// The round of the second beacon; empty if the rules name none.
  private final Optional<BeaconRound> second;

  private final boolean isSecond;
  private final String id;
  private final int size;
  private final SignerKey logKey = key(HOUSE + "log", VerifierKey.Type.LOG, 1);
  private final List<SignerKey> witnesses =
      IntStream.rangeClosed(1, 3)
          .mapToObj(i -> key("witness.example/w" + i, VerifierKey.Type.COSIGNATURE, 10 + i))
          .toList();
  private final BundleHead head;
  private final long round;
  private final DrawRules rules;
  private final TestLog house;
  private final TestLog entries;
  private final Map<Integer, Status> absences = new HashMap<>();
  private final Map<String, byte[]> files = new LinkedHashMap<>();
  private final int mine;
  private byte[] receipt = new byte[0];
  private Hash promised = Merkle.EMPTY;
  private Hash seed = Merkle.EMPTY;
  private Hash resultRoot = Merkle.EMPTY;

  private TestDraw(
      long number,
      int size,
      Optional<Cheat> cheat,
      boolean hasWitnesses,
      boolean isSealed,
      UnaryOperator<byte[]> tamper) {
    this.product = number >= WITH_PRODUCT ? "\"product\":\"27\"," : "";
    this.house = new TestLog(logKey, tamper);
    this.hasWitnesses = hasWitnesses;
    this.random = new Random(number);
    this.cheat = cheat;
    boolean isEarly = is(Cheat.EARLY_SECOND_BEACON);
    this.isSecond = isEarly || (cheat.isEmpty() && number % 10 == 7);
    this.second =
        isSecond || (cheat.isEmpty() && number % 5 == 2)
            ? Optional.of(new BeaconRound(TestChains.SECOND.hash(), 200 + number % 3))
            : Optional.empty();
    this.size = size;
    this.id = "draw-" + number;
    this.head = new BundleHead(id, logKey.verifier());
    this.entries =
        new TestLog(key(HOUSE + "draws/" + id, VerifierKey.Type.LOG, 1), UnaryOperator.identity());
    // Few rounds, because verifying the signature of one takes longest; BeaconChainTest has all.
    this.round = 400L + 45L * random.nextInt(13);
    this.mine = random.nextInt(size);
    this.rules = DrawRules.canonical(rulesJson()).orElseThrow();
    announce();
    enter();
    if (isSealed) {
      int seal = seal();
      if (!is(Cheat.WITHHELD)) {
        decide(seal);
      }
    }
    finish();
  }

  /// An honest draw.
  public static TestDraw honest(long number, int size) {
    return new TestDraw(number, size, Optional.empty(), true, true, UnaryOperator.identity());
  }

  /// An honest draw whose rules name no witnesses.
  public static TestDraw unwitnessed(long number, int size) {
    return new TestDraw(number, size, Optional.empty(), false, true, UnaryOperator.identity());
  }

  /// A draw with one cheat; the size is at least 8.
  public static TestDraw cheating(long number, int size, Cheat cheat) {
    return new TestDraw(number, size, Optional.of(cheat), true, true, UnaryOperator.identity());
  }

  /// A draw whose list is not sealed yet.
  static TestDraw unsealed(long number, int size) {
    return new TestDraw(number, size, Optional.empty(), true, false, UnaryOperator.identity());
  }

  /// A sealed draw that was ended before its result.
  public static TestDraw aborted(long number, int size) {
    return ended(cheating(number, size, Cheat.WITHHELD));
  }

  /// A draw that was ended before its seal.
  public static TestDraw abortedBeforeTheSeal(long number, int size) {
    return ended(unsealed(number, size));
  }

  /// The same draw with an abort leaf at the end of the log.
  public static TestDraw ended(TestDraw draw) {
    draw.house.add(new HouseLeaf.Abort(draw.id, OptionalLong.empty(), "operator").data());
    draw.finish();
    return draw;
  }

  /// A draw whose house log has other leaves than it should, under valid signatures.
  ///
  /// @param tamper gets each leaf and returns the one that is logged
  public static TestDraw tampered(long number, int size, UnaryOperator<byte[]> tamper) {
    return new TestDraw(number, size, Optional.empty(), true, true, tamper);
  }

  /// The files of a draw whose list claims to have more entries than verifiers read.
  public static Map<String, byte[]> tooLarge(long number) {
    List<byte[]> seals = new ArrayList<>();
    TestDraw draw =
        tampered(
            number,
            8,
            leaf -> {
              String text = StrictText.utf8(leaf).orElseThrow();
              if (!text.startsWith("fairgate-seal/1\n")) {
                return leaf;
              }
              seals.add(StrictText.bytes(text.replace("\nsize 8\n", "\nsize " + TOO_LARGE + "\n")));
              return seals.getFirst();
            });
    draw.put("seal", seals.getFirst());
    Merkle.Head head = new Merkle.Head(TOO_LARGE, draw.entries.head(8).root());
    draw.put("log/checkpoint", StrictText.bytes(draw.entries.checkpoint(head, List.of(), 0)));
    return draw.files;
  }

  /// The files of a draw in a log that claims to have more leaves than verifiers read.
  public static Map<String, byte[]> inTooLargeLog(long number) {
    TestDraw draw = honest(number, 8);
    Merkle.Head head = new Merkle.Head(TOO_LARGE, draw.house.head(1).root());
    draw.files.put("log/checkpoint", StrictText.bytes(draw.house.checkpoint(head, List.of(), 0)));
    return draw.files;
  }

  private static SignerKey key(String name, VerifierKey.Type type, int number) {
    return new SignerKey(name, type, Hash.ofParts(StrictText.bytes("test key " + number)).bytes());
  }

  private boolean is(Cheat kind) {
    return cheat.equals(Optional.of(kind));
  }

  private long roundTime() {
    return TestChains.FIRST.timeOf(round);
  }

  private String rulesJson() {
    long close = roundTime() - 120;
    // A cheat needs units and entries that are left.
    long stock = cheat.isPresent() ? size / 4 : 1L + random.nextInt(size + 1);
    long holdbacks = cheat.isPresent() || random.nextBoolean() ? 0 : random.nextInt((int) stock);
    String keys =
        witnesses.stream()
            .filter(_ -> hasWitnesses)
            .map(each -> '"' + each.verifier().text() + '"')
            .collect(Collectors.joining(","));
    return """
        {%s%s"draw":"%s","title":"Tour – 台北","stock":%d,"holdbacks":{"artist":%d},"open":%d,"close":%d,
        "seal_by":%d,"beacon":"%s","round":%d,"fallback_rounds":[%d,%d],"order":"lots/1",
        "witnesses":[%s],"quorum":%d,"qty_max":%d,"tiers":%d,"fit":"%s","audit":{"k":2},
        "per_person":2,"claim_minutes":30}
        """
        .formatted(
            product,
            second
                .map(
                    it ->
                        "\"second_beacon\":{\"beacon\":\"%s\",\"round\":%d},"
                            .formatted(it.chain(), it.round()))
                .orElse(""),
            id,
            stock,
            holdbacks,
            close - 600,
            close,
            roundTime() - 90,
            TestChains.FIRST.hash(),
            round,
            round + 5,
            round + 9,
            keys,
            hasWitnesses ? 2 : 0,
            cheat.isPresent() ? 1 : 1 + random.nextInt(3),
            1 + random.nextInt(2),
            random.nextBoolean() ? "skip" : "stop");
  }

  /// The rules, among leaves of others, cosigned before the opening.
  private void announce() {
    house.add(StrictText.bytes("fairgate-audit-day/1\nday 2026-01-01\n"));
    house.add(new HouseLeaf.TreeHead("another-draw", new Merkle.Head(0, Merkle.EMPTY)).data());
    int index = house.add(new HouseLeaf.Rules(rules).data());
    house.add(StrictText.bytes("fairgate-policy/1\n"));
    put("rules.tlog-proof", proof(index, rules.open().orElseThrow() - 60));
    String published = rules.json();
    if (is(Cheat.EDITED_RULES)) {
      published =
          published.replace("\"stock\":" + rules.stock(), "\"stock\":" + (rules.stock() + 1));
    }
    put("rules.json", StrictText.bytes(published));
    put("chain.json", TestChains.INFO);
    if (second.isPresent()) {
      put("second-chain.json", TestChains.SECOND_INFO);
    }
  }

  private byte[] proof(int index, long time) {
    int tree = house.size();
    return house.proof(
        index, tree, new byte[0], house.checkpoint(tree, witnesses.subList(0, 2), time));
  }

  private void put(String name, byte[] content) {
    files.put(head.path(name), content);
  }

  private EntryLeaf entry(int index) {
    List<String> classes =
        List.copyOf(
            new TreeSet<>(EntryLeaf.CLASSES.stream().filter(_ -> random.nextInt(4) == 0).toList()));
    byte[] key = new byte[32];
    random.nextBytes(key);
    byte[] tag = new byte[16];
    random.nextBytes(tag);
    return new EntryLeaf(
        id,
        EntryLeaf.who(salt(index), person(index)),
        Hash.of(key),
        classes,
        random.nextBoolean() ? Optional.of(EntryLeaf.Uniq.of(tag)) : Optional.empty(),
        1 + random.nextInt((int) rules.qtyMax()),
        random.nextInt(rules.tiers()));
  }

  private static byte[] salt(int index) {
    return StrictText.bytes("salt " + index);
  }

  private static byte[] person(int index) {
    return StrictText.bytes("person " + index);
  }

  /// The entries with their heads, and the receipt of one of them.
  private void enter() {
    TestLog shown =
        new TestLog(key(HOUSE + "draws/" + id, VerifierKey.Type.LOG, 1), UnaryOperator.identity());
    int step = Math.max(1, size / 4);
    for (int i = 0; i < size; i++) {
      byte[] data = entry(i).data();
      shown.add(data);
      if (!is(Cheat.DROPPED_ENTRY) || i != mine) {
        entries.add(data);
      }
      if ((i + 1) % step == 0 && entries.size() > 0) {
        Merkle.Head tree = entries.head(entries.size());
        boolean isForked = is(Cheat.FORKED_LIST) && i + 1 == 2 * step;
        house.add(
            new HouseLeaf.TreeHead(
                    id, isForked ? new Merkle.Head(tree.size(), house.leaf(0)) : tree)
                .data());
      }
    }
    int tree = mine + 1 + random.nextInt(size - mine);
    receipt = shown.proof(mine, tree, salt(mine), shown.checkpoint(tree, List.of(), 0));
    promised = shown.leaf(mine);
    withdrawAndExclude();
  }

  private void withdrawAndExclude() {
    for (int i = 0; i < entries.size(); i++) {
      int chance = random.nextInt(12);
      EntryRef entry = new EntryRef(i, entries.leaf(i));
      if (chance == 0) {
        absences.put(i, Status.WITHDRAWN);
        house.add(new HouseLeaf.Withdraw(id, entry, "request").data());
      } else if (chance == 1) {
        absences.put(i, Status.EXCLUDED);
        house.add(new HouseLeaf.Exclude(id, entry, "duplicate").data());
      }
    }
    if (is(Cheat.WITHDRAWN_AND_EXCLUDED)) {
      EntryRef first = new EntryRef(0, entries.leaf(0));
      house.add(new HouseLeaf.Withdraw(id, first, "request").data());
      house.add(new HouseLeaf.Exclude(id, first, "duplicate").data());
    }
  }

  private Merkle.Head excluded() {
    MerkleBuilder tree = new MerkleBuilder();
    for (int i = 0; i < house.size(); i++) {
      if (HouseLeaf.parse(house.entry(i)).orElse(new HouseLeaf.Other(new byte[0]))
          instanceof HouseLeaf.Exclude exclude) {
        tree.add(exclude.hash());
      }
    }
    return tree.head();
  }

  /// The seal and its proof; returns the index of its leaf.
  private int seal() {
    BeaconRound named = new BeaconRound(TestChains.FIRST.hash(), round);
    HouseLeaf.Seal seal =
        new HouseLeaf.Seal(id, rules.hash(), entries.head(entries.size()), named, excluded());
    int index = house.add(seal.data());
    put("seal", seal.data());
    put("seal.tlog-proof", proof(index, roundTime() + (is(Cheat.LATE_SEAL) ? 5 : -80)));
    if (is(Cheat.ENTRY_AFTER_SEAL)) {
      entries.add(entry(size).data());
    }
    return index;
  }

  private void decide(int seal) {
    BeaconRound named =
        isSecond
            ? second.orElseThrow()
            : new BeaconRound(TestChains.FIRST.hash(), round + (is(Cheat.WRONG_ROUND) ? 1 : 0));
    byte[] signature = TestChains.signature(named.round() - (is(Cheat.FORGED_BEACON) ? 1 : 0));
    if (isSecond && cheat.isEmpty()) {
      for (long givenUp : new long[] {round, round + 5, round + 9}) {
        house.add(new HouseLeaf.Abort(id, OptionalLong.of(givenUp), "no_beacon").data());
      }
    }
    HouseLeaf.Beacon beacon = new HouseLeaf.Beacon(id, named, signature);
    house.add(beacon.data());
    put("beacon", beacon.data());
    seed = Lots.seed(house.leaf(seal), BeaconChain.randomness(signature));
    HashList leaves = entries.leaves();
    DrawOrder order =
        DrawOrder.of(seed, leaves, i -> EntryLeaf.parse(entries.entry(i)).orElseThrow().tier());
    List<byte[]> ranks =
        new ArrayList<>(IntStream.range(0, order.size()).mapToObj(order::resultLeaf).toList());
    if (is(Cheat.SWAPPED_LOTS)) {
      swap(ranks, 1, order.size() - 2);
    }
    MerkleBuilder tree = new MerkleBuilder();
    ByteArrayOutputStream result = new ByteArrayOutputStream();
    ranks.forEach(
        each -> {
          tree.add(Merkle.leafHash(each));
          result.writeBytes(each);
        });
    put("result", result.toByteArray());
    resultRoot = tree.root();
    Merkle.Head named2 =
        is(Cheat.WRONG_RESULT_ROOT) ? new Merkle.Head(order.size(), seed) : tree.head();
    int index = house.add(new HouseLeaf.Result(id, house.leaf(seal), named, named2).data());
    allocate(order, house.leaf(index));
  }

  /// Exchanges the entries of two ranks, but not the ranks.
  private static void swap(List<byte[]> ranks, int one, int two) {
    byte[] first = ranks.get(one).clone();
    byte[] second = ranks.get(two).clone();
    System.arraycopy(ranks.get(two), 8, first, 8, 64);
    System.arraycopy(ranks.get(one), 8, second, 8, 64);
    ranks.set(one, first);
    ranks.set(two, second);
  }

  private void allocate(DrawOrder order, Hash result) {
    List<Allotment> lines = new ArrayList<>();
    long left = rules.units() - (is(Cheat.STOCK_SHORT) ? 1 : 0);
    for (int rank = 0; rank < order.size() && left > 0; rank++) {
      int index = order.indexAt(rank);
      Optional<Status> absence = Optional.ofNullable(absences.get(index));
      long wanted = EntryLeaf.parse(entries.entry(index)).orElseThrow().qty();
      boolean isHidden = is(Cheat.HIDDEN_EXCLUSION) && absence.isEmpty() && rank > 0;
      if (isHidden) {
        lines.add(new Allotment(rank, Status.EXCLUDED, 0, 0));
      } else if (absence.isPresent()) {
        lines.add(new Allotment(rank, absence.get(), 0, 0));
      } else if (wanted <= left) {
        long bought = random.nextInt(5) == 0 ? random.nextInt((int) wanted + 1) : wanted;
        lines.add(new Allotment(rank, Status.OFFERED, bought, wanted - bought));
        pass(rank, index, wanted - bought);
        left -= bought;
      } else if (rules.skipsUnfit()) {
        lines.add(new Allotment(rank, Status.UNFIT, 0, 0));
      } else {
        break;
      }
    }
    if (is(Cheat.SKIPPED_RANK)) {
      lines.removeFirst();
    }
    report(result, lines);
  }

  private void pass(int rank, int index, long units) {
    if (units > 0) {
      house.add(new HouseLeaf.Pass(id, rank, entries.leaf(index), units, "unpaid").data());
    }
  }

  private void report(Hash result, List<Allotment> lines) {
    MerkleBuilder tree = new MerkleBuilder();
    StringBuilder text = new StringBuilder();
    for (Allotment line : lines) {
      tree.add(Merkle.leafHash(StrictText.bytes(line.line())));
      text.append(line.line());
    }
    put("allotments", StrictText.bytes(text.toString()));
    AllocationReport report = AllocationReport.of(rules.stock(), rules.holdbacks(), lines);
    house.add(new HouseLeaf.Report(id, result, report, tree.head()).data());
  }

  private void finish() {
    files.put(BundleHead.FILE, StrictText.bytes(head.text()));
    house.write(
        files, "log/", house.checkpoint(house.size(), witnesses.subList(1, 3), roundTime() + 3600));
    entries.write(files, head.path("log/"), entries.checkpoint(entries.size(), List.of(), 0));
  }

  public String id() {
    return id;
  }

  /// All files of the bundle, by path.
  public Map<String, byte[]> files() {
    return files;
  }

  public VerifyRequest.Files drawFiles() {
    return path -> Optional.ofNullable(files.get(path));
  }

  /// The receipt of one entry; its person is [#mine].
  public byte[] receipt() {
    return receipt;
  }

  /// A promise for the same entry.
  public byte[] promise() {
    return promise(id, Long.toString(rules.close()));
  }

  /// A promise with these lines, signed by the key of this draw.
  public byte[] promise(String draw, String by) {
    String text =
        "fairgate-promise/1\ndraw %s\nleaf %s\nby %s\n".formatted(draw, promised.base64(), by);
    SignerKey key = key(HOUSE + "draws/" + id, VerifierKey.Type.LOG, 1);
    return StrictText.bytes(text + "\n" + key.sign(text));
  }

  /// The receipt with a signature of another text.
  public byte[] forgedReceipt() {
    return signedAs(receipt, promise());
  }

  /// Receipts and promises of this draw that prove nothing.
  public List<byte[]> unusableReceipts() {
    return List.of(
        forgedReceipt(),
        signedAs(promise(), receipt),
        promise("another-draw", "1"),
        promise(id, "1" + "0".repeat(40)),
        StrictText.bytes(StrictText.utf8(promise()).orElseThrow().replace("leaf ", "leaf A")),
        Arrays.copyOf(receipt, receipt.length - 2),
        Arrays.copyOf(promise(), promise().length + VerifyRequest.MAX_RECEIPT),
        Arrays.copyOf(receipt, receipt.length + VerifyRequest.MAX_RECEIPT));
  }

  private static byte[] signedAs(byte[] note, byte[] other) {
    String text = StrictText.utf8(note).orElseThrow();
    String signed = StrictText.utf8(other).orElseThrow();
    return StrictText.bytes(
        text.substring(0, text.lastIndexOf("— ")) + signed.substring(signed.lastIndexOf("— ")));
  }

  /// A receipt for the first entry, in a list with another last entry.
  byte[] receiptOfAnotherList() {
    TestLog other =
        new TestLog(key(HOUSE + "draws/" + id, VerifierKey.Type.LOG, 1), UnaryOperator.identity());
    for (int i = 0; i + 1 < entries.size(); i++) {
      other.add(entries.entry(i));
    }
    other.add(entry(size).data());
    return other.proof(0, size, salt(0), other.checkpoint(size, List.of(), 0));
  }

  public int mine() {
    return mine;
  }

  /// Why the entry of [#mine] takes no part; empty if it does.
  public Optional<Absence> absence() {
    return Optional.ofNullable(absences.get(mine))
        .map(
            status ->
                status == Status.WITHDRAWN
                    ? new Absence(Absence.Kind.WITHDRAWN, "request")
                    : new Absence(Absence.Kind.EXCLUDED, "duplicate"));
  }

  public Hash seed() {
    return seed;
  }

  public Hash resultRoot() {
    return resultRoot;
  }

  public DrawRules rules() {
    return rules;
  }

  /// Writes the bundle as a tar file.
  public void write(Path file) throws IOException {
    write(file, files);
  }

  /// Writes files as a bundle.
  public static void write(Path file, Map<String, byte[]> files) throws IOException {
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      for (Map.Entry<String, byte[]> each : files.entrySet()) {
        out.write(TarFiles.entry(each.getKey(), each.getValue()));
      }
      out.write(TarFiles.end());
    }
  }

  /// A line of JSON about the draw, for other verifiers.
  String summary(String file, String code) {
    return """
        {"file":"%s","code":"%s","chain":"%s","second_chain":"%s","size":%d,"seed":"%s","result_root":"%s","receipt":"%s","person":"person %d","salt":"%s"}
        """
        .formatted(
            file,
            code,
            TestChains.FIRST.hash(),
            TestChains.SECOND.hash(),
            entries.size(),
            seed,
            resultRoot,
            file.replace(".tar", ".tlog-proof"),
            mine,
            Base64.getEncoder().encodeToString(salt(mine)));
  }
}
