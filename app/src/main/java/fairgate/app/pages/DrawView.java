package fairgate.app.pages;

import fairgate.app.pages.RefusalPage.Fact;
import fairgate.draw.Draw;
import fairgate.draw.DrawRecords.Count;
import fairgate.draw.DrawState;
import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.AllocationReport;
import fairgate.draw.leaf.DrawRules;
import fairgate.draw.leaf.HouseLeaf;
import fairgate.draw.lots.FairnessTests;
import fairgate.draw.lots.Lots;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.VerifierKey;
import fairgate.platform.http.Reply;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonText;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.FormatStyle;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/// Renders the pages of draws. Times are in the zone of the draw.
final class DrawView {
  private static final double UNUSUAL = 4;
  private static final String STAGE = "draw";

  private final PageFrame frame;

  DrawView(PageFrame frame) {
    this.frame = frame;
  }

  /// A draw in the list.
  record Card(String id, String title, String badge, String state, String head) {}

  /// A part of the course.
  ///
  /// @param phase `done`, `now` or `next`
  record Step(String title, String more, String phase, String phaseText) {}

  /// The page of a draw.
  ///
  /// @param word name of the state
  /// @param everybody that everybody wins; empty otherwise
  record Model(
      String id,
      String title,
      String word,
      String badge,
      String state,
      String head,
      String more,
      String everybody,
      List<Step> course,
      List<Fact> facts) {}

  /// What the page of the whole draw shows beside the draw itself.
  record Facts(
      String logKey, List<Count> absences, List<Count> passes, Optional<FairnessTests> tests) {}

  /// A number with its reason, as texts.
  record Row(String kind, String reason, String count) {}

  /// A distribution test, as texts.
  record Test(
      String name, String statistic, String freedom, String z, String verdict, boolean isGood) {}

  /// The page of the whole draw.
  ///
  /// @param account empty before the end
  /// @param testsMissing why there are no tests; empty if there are
  record Report(
      String id,
      String title,
      List<Fact> account,
      List<Row> passes,
      List<Row> absences,
      List<Test> tests,
      String testsMissing,
      List<Fact> evidence) {}

  Reply list(Visit visit, List<Draw> draws) {
    List<Card> cards =
        draws.stream()
            .map(
                draw ->
                    new Card(
                        draw.id(),
                        draw.terms().title(),
                        badge(draw.state()),
                        visit.wording().text("draws.state." + draw.state().word()),
                        head(visit, draw)))
            .toList();
    return frame.reply(
        visit,
        200,
        PageFrame.Content.plain(
                visit.wording().text("draws.title"),
                out -> JtedrawsGenerated.render(out, null, visit.wording(), cards))
            .withSheet("draw.css"));
  }

  /// @param entries number of entries in the public list
  Reply one(Visit visit, Draw draw, long entries) {
    Model model =
        new Model(
            draw.id(),
            draw.terms().title(),
            draw.state().word(),
            badge(draw.state()),
            visit.wording().text("draws.state." + draw.state().word()),
            head(visit, draw),
            more(visit, draw),
            everybodyWins(draw) ? visit.wording().text("draws.everybody") : "",
            course(visit, draw),
            facts(visit, draw, entries));
    return frame.reply(
        visit,
        200,
        PageFrame.Content.of(
                draw.terms().title(),
                STAGE,
                "draw.js",
                out -> JtedrawGenerated.render(out, null, visit.wording(), model),
                JsonText.object().put("draw", draw.id()))
            .withSheet("draw.css"));
  }

  private static String badge(DrawState state) {
    return switch (state) {
      case ANNOUNCED, SEALING, SEALED -> "scheduled";
      case OPEN, DRAWN, ALLOCATING -> "open";
      case ENDED, ABORTED -> "closed";
    };
  }

  private static boolean everybodyWins(Draw draw) {
    return draw.state() != DrawState.ABORTED
        && draw.result().map(it -> it.order().size() <= draw.rules().units()).orElse(false);
  }

  private static String head(Visit visit, Draw draw) {
    long time =
        switch (draw.state()) {
          case ANNOUNCED -> draw.rules().open().orElse(draw.rules().close());
          case OPEN -> draw.rules().close();
          default -> draw.decidesAt();
        };
    return visit.words().text("draws.head." + draw.state().word(), "time", time(visit, draw, time));
  }

  private static String more(Visit visit, Draw draw) {
    return switch (draw.state()) {
      case ANNOUNCED, OPEN -> visit.wording().text("draws.more.announced");
      case ABORTED ->
          visit
              .words()
              .text("draws.more.aborted", "reason", reason(visit, draw.abortReason().orElse("")));
      case ENDED -> ended(visit, draw);
      case SEALING, SEALED, DRAWN, ALLOCATING ->
          visit.wording().text("draws.more." + draw.state().word());
    };
  }

  private static String ended(Visit visit, Draw draw) {
    AllocationReport report = draw.report().orElseThrow().report();
    return visit
        .words()
        .text("draws.more.ended", "issued", visit.wording().number(report.issued()))
        .replace("{passed}", visit.wording().number(report.passed()))
        .replace("{unsold}", visit.wording().number(report.unsold()));
  }

  /// A time in the zone of the draw, with seconds, because rounds are seconds apart, and without
  /// the date if it is today.
  private static String time(Visit visit, Draw draw, long seconds) {
    ZoneId zone = draw.terms().zone();
    ZonedDateTime time = Instant.ofEpochSecond(seconds).atZone(zone);
    boolean isToday = time.toLocalDate().equals(visit.wording().now().atZone(zone).toLocalDate());
    DateTimeFormatter format =
        isToday
            ? DateTimeFormatter.ofLocalizedTime(FormatStyle.MEDIUM)
            : DateTimeFormatter.ofLocalizedDateTime(FormatStyle.MEDIUM, FormatStyle.MEDIUM);
    return format.withLocale(visit.wording().locale()).format(time) + " (" + zone.getId() + ")";
  }

  private static List<Step> course(Visit visit, Draw draw) {
    DrawRules rules = draw.rules();
    Dictionary words = visit.words();
    long now = visit.wording().now().getEpochSecond();
    String entries =
        words
            .text(
                "draws.step.entries.more",
                "from",
                time(visit, draw, rules.open().orElse(rules.close())))
            .replace("{to}", time(visit, draw, rules.close()));
    String seal =
        draw.seal()
            .map(
                it ->
                    words
                        .text("draws.step.seal.done", "n", visit.wording().number(it.head().size()))
                        .replace("{x}", visit.wording().number(it.excluded().size())))
            .orElseGet(
                () ->
                    words.text("draws.step.seal.more", "time", time(visit, draw, rules.sealBy())));
    String dice =
        words
            .text("draws.step.dice.more", "round", draw.beaconRound().round())
            .replace("{time}", time(visit, draw, draw.decidesAt()));
    String offer = words.text("draws.step.offer.more", "minutes", draw.terms().claimMinutes());
    DrawState state = draw.state();
    boolean hasOpened = state.compareTo(DrawState.OPEN) >= 0 && now >= rules.open().orElse(0);
    return List.of(
        step(visit, "rules", words.text("draws.step.rules.more"), true, !hasOpened),
        step(visit, "entries", entries, state.compareTo(DrawState.OPEN) > 0, hasOpened),
        step(visit, "seal", seal, draw.seal().isPresent(), state == DrawState.SEALING),
        step(visit, "dice", dice, draw.beacon().isPresent(), state == DrawState.SEALED),
        step(
            visit,
            "offer",
            offer,
            draw.report().isPresent(),
            state == DrawState.DRAWN || state == DrawState.ALLOCATING));
  }

  private static Step step(Visit visit, String name, String more, boolean done, boolean now) {
    String phase = done ? "done" : now ? "now" : "next";
    return new Step(
        visit.wording().text("draws.step." + name),
        more,
        phase,
        visit.wording().text("draws.step." + phase));
  }

  private static List<Fact> facts(Visit visit, Draw draw, long entries) {
    Wording w = visit.wording();
    DrawRules rules = draw.rules();
    List<Fact> facts = new ArrayList<>();
    facts.add(fact(w, "units", w.number(rules.units())));
    if (rules.holdbacks() > 0) {
      facts.add(fact(w, "held", w.number(rules.holdbacks())));
    }
    facts.add(
        fact(
            w,
            "quantity",
            rules.qtyMax() == 1
                ? w.number(1)
                : w.words().text("draws.fact.quantity.most", "n", w.number(rules.qtyMax()))));
    facts.add(fact(w, "who", eligibility(w, draw)));
    facts.add(
        draw.seal()
            .map(seal -> fact(w, "sealed", w.number(seal.head().size())))
            .orElseGet(() -> fact(w, "entries", w.number(entries))));
    facts.add(fact(w, "witnesses", witnesses(w, rules)));
    return facts;
  }

  /// The operator's words; those for the sale's identity rule are ours.
  private static String eligibility(Wording w, Draw draw) {
    String text =
        Json.parseObject(draw.rules().json()).get("eligibility") instanceof String it ? it : "";
    String key = "draws.who." + text.replace("identity: ", "");
    return w.words().keys().contains(key) ? w.text(key) : text;
  }

  private static String witnesses(Wording w, DrawRules rules) {
    return rules.quorum() == 0
        ? w.text("draws.fact.witnesses.none")
        : w.words()
                .text("draws.fact.witnesses.some", "q", rules.quorum())
                .replace("{n}", w.number(rules.witnesses().size()))
            + ": "
            + rules.witnesses().stream().map(VerifierKey::name).collect(Collectors.joining(", "));
  }

  private static Fact fact(Wording w, String name, String text) {
    return new Fact(w.text("draws.fact." + name), text, false, "");
  }

  Reply report(Visit visit, Draw draw, Facts facts) {
    Report report =
        new Report(
            draw.id(),
            draw.terms().title(),
            draw.report().map(it -> account(visit, it.report())).orElse(List.of()),
            rows(visit, facts.passes()),
            rows(visit, facts.absences()),
            facts.tests().map(tests -> tests(visit, tests)).orElse(List.of()),
            testsMissing(visit, draw, facts),
            evidence(visit, draw, facts.logKey()));
    return frame.reply(
        visit,
        200,
        PageFrame.Content.plain(
                draw.terms().title(),
                out -> JtedrawReportGenerated.render(out, null, visit.wording(), report))
            .withSheet("draw.css"));
  }

  private static List<Fact> account(Visit visit, AllocationReport report) {
    Wording w = visit.wording();
    return List.of(
        number(w, "draws.account.stock", report.stock()),
        number(w, "draws.account.held", report.holdbacks()),
        number(w, "draws.account.issued", report.issued()),
        number(w, "draws.account.passed", report.passed()),
        number(w, "draws.account.unsold", report.unsold()));
  }

  private static Fact number(Wording w, String key, long number) {
    return new Fact(w.text(key), w.number(number), false, "");
  }

  private static List<Row> rows(Visit visit, List<Count> counts) {
    return counts.stream()
        .map(
            each ->
                new Row(
                    each.kind().equals("passed")
                        ? ""
                        : visit.wording().text("draws.absent." + each.kind()),
                    reason(visit, each.reason()),
                    visit.wording().number(each.count())))
        .toList();
  }

  /// A reason in words; one that the operator made up stays as it is.
  private static String reason(Visit visit, String word) {
    String key = "draws.reason." + word;
    return visit.words().keys().contains(key) ? visit.wording().text(key) : word;
  }

  private static List<Test> tests(Visit visit, FairnessTests tests) {
    return List.of(test(visit, "marginal", tests.marginal()), test(visit, "joint", tests.joint()));
  }

  private static Test test(Visit visit, String name, FairnessTests.ChiSquare found) {
    boolean isGood = found.z() < UNUSUAL;
    Locale locale = visit.wording().locale();
    return new Test(
        visit.wording().text("draws.tests." + name),
        String.format(locale, "%.1f", found.statistic()),
        visit.wording().number(found.degreesOfFreedom()),
        String.format(locale, "%.2f", found.z()),
        visit.wording().text(isGood ? "draws.tests.good" : "draws.tests.bad"),
        isGood);
  }

  private static String testsMissing(Visit visit, Draw draw, Facts facts) {
    if (facts.tests().isPresent()) {
      return "";
    }
    return visit
        .wording()
        .text(draw.result().isPresent() ? "draws.tests.few" : "draws.tests.later");
  }

  private static List<Fact> evidence(Visit visit, Draw draw, String logKey) {
    Wording w = visit.wording();
    List<Fact> all = new ArrayList<>();
    all.add(code(w, "log", logKey));
    all.add(code(w, "rules", draw.rules().hash().hex()));
    draw.rules().witnesses().forEach(key -> all.add(code(w, "witnesses", key.text())));
    all.add(code(w, "chain", draw.beaconRound().chain()));
    all.add(code(w, "round", Long.toString(draw.beaconRound().round())));
    Optional<HouseLeaf.Seal> seal = draw.seal();
    seal.ifPresent(it -> all.add(code(w, "root", it.head().root().hex())));
    seal.ifPresent(it -> all.add(code(w, "seal", it.hash().hex())));
    draw.beacon()
        .ifPresent(it -> all.add(code(w, "signature", HexFormat.of().formatHex(it.signature()))));
    seed(draw).ifPresent(it -> all.add(code(w, "seed", it.hex())));
    draw.result().ifPresent(it -> all.add(code(w, "result", it.order().root().hex())));
    return all;
  }

  private static Optional<Hash> seed(Draw draw) {
    return draw.beacon()
        .map(
            beacon ->
                Lots.seed(
                    draw.seal().orElseThrow().hash(), BeaconChain.randomness(beacon.signature())));
  }

  private static Fact code(Wording w, String name, String text) {
    return Fact.code(w.text("draws.ev." + name), text);
  }
}
