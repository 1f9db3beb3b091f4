package fairgate.draw;

import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.DrawRules;
import fairgate.draw.leaf.HouseLeaf.AllocationReport;
import fairgate.draw.tlog.VerifierKey;
import fairgate.platform.http.Reply;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonText;
import fairgate.platform.observe.Rows;
import fairgate.platform.page.Dictionary;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.Visit;
import fairgate.platform.page.Wording;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.FormatStyle;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;

/// Renders the pages of draws. Times are in the zone of the draw.
record DrawView(PageFrame frame) {
  private static final String STAGE = "draw";

  /// The word for a draw that is sealed and whose beacon is late.
  private static final String LATE = "late";

  private static final int SHORT_HASH = 8;

  private static final Rows ROWS =
      new Rows(LoggerFactory.getLogger(DrawView.class), "the shop's draws");

  record Fact(String label, String text) {}

  record Card(String id, String title, String badge, String state, String head) {}

  /// A part of the course.
  ///
  /// @param phase `done`, `now`, `next`, or `never` in an aborted draw
  record Step(String title, String more, String phase, String phaseText) {}

  /// The page of a draw.
  ///
  /// @param word name of the state, or `late`
  /// @param round the beacon round that decides now
  /// @param everybody that everybody wins; empty otherwise
  /// @param takesEntries whether people can enter now or later
  record Model(
      String id,
      String title,
      String word,
      long round,
      String badge,
      String state,
      String head,
      String more,
      String everybody,
      boolean takesEntries,
      List<Step> course,
      List<Fact> facts,
      List<Other> others) {}

  /// Another draw of the same sale.
  ///
  /// @param note that it was aborted after its list was sealed; empty otherwise
  record Other(String id, String state, String note) {}

  static List<Other> others(Visit visit, List<Draw> draws) {
    return draws.stream()
        .map(
            draw ->
                new Other(
                    draw.id(),
                    visit.wording().text("draws.state." + draw.state().word()),
                    note(visit, draw)))
        .toList();
  }

  private static String note(Visit visit, Draw draw) {
    if (draw.state() != Draw.State.ABORTED || draw.seal().isEmpty()) {
      return "";
    }
    String key = draw.beacon().isPresent() ? "draws.others.known" : "draws.others.sealed";
    return visit.words().text(key, "id", draw.id());
  }

  Reply list(Visit visit, List<Draw> draws) {
    List<Card> cards =
        ROWS.of(
            draws,
            draw ->
                new Card(
                    draw.id(),
                    draw.terms().title(),
                    badge(draw.state()),
                    visit.wording().text("draws.state." + draw.state().word()),
                    head(visit, draw)),
            Draw::id);
    return frame.reply(
        visit,
        200,
        PageFrame.Content.plain(
                visit.wording().text("draws.title"),
                out -> JtedrawsGenerated.render(out, null, visit.wording(), cards))
            .withSheet("draw.css"));
  }

  /// @param entries number of entries in the public list
  /// @param others of the same sale
  Reply one(Visit visit, Draw draw, long entries, List<Draw> others) {
    Model model =
        new Model(
            draw.id(),
            draw.terms().title(),
            lateSince(visit, draw).isPresent() ? LATE : draw.state().word(),
            draw.beaconRound().round(),
            badge(draw.state()),
            visit.wording().text("draws.state." + draw.state().word()),
            head(visit, draw),
            more(visit, draw),
            everybodyWins(draw) ? visit.wording().text("draws.everybody") : "",
            draw.state() == Draw.State.ANNOUNCED || draw.state() == Draw.State.OPEN,
            course(visit, draw),
            facts(visit, draw, entries),
            others(visit, others));
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

  private static String badge(Draw.State state) {
    return switch (state) {
      case ANNOUNCED, SEALING, SEALED -> "scheduled";
      case OPEN, DRAWN, ALLOCATING -> "open";
      case ENDED, ABORTED -> "closed";
    };
  }

  private static boolean everybodyWins(Draw draw) {
    return draw.state() != Draw.State.ABORTED
        && draw.result().map(it -> it.order().size() <= draw.rules().units()).orElse(false);
  }

  private static OptionalLong lateSince(Visit visit, Draw draw) {
    return draw.lateSince(visit.wording().now().getEpochSecond());
  }

  private static String head(Visit visit, Draw draw) {
    if (lateSince(visit, draw).isPresent()) {
      return visit.wording().text("draws.head.late");
    }
    long time =
        switch (draw.state()) {
          case ANNOUNCED -> draw.rules().open().orElse(draw.rules().close());
          case OPEN -> draw.rules().close();
          default -> draw.decidesAt();
        };
    return visit.words().text("draws.head." + draw.state().word(), "time", time(visit, draw, time));
  }

  private static String more(Visit visit, Draw draw) {
    String late = late(visit, draw);
    if (!late.isEmpty()) {
      return late;
    }
    return switch (draw.state()) {
      case ANNOUNCED, OPEN -> visit.wording().text("draws.more.announced");
      case ABORTED ->
          visit
              .words()
              .text("draws.more.aborted", "reason", reason(visit, draw.abortReason().orElse("")));
      case ENDED -> ended(visit, draw);
      case SEALED -> visit.words().text("draws.more.sealed", "source", source(visit, draw));
      case SEALING, DRAWN, ALLOCATING -> visit.wording().text("draws.more." + draw.state().word());
    };
  }

  /// Since when the draw waits for which beacon round, and how anybody can end that; empty if it
  /// does not wait.
  static String late(Visit visit, Draw draw) {
    OptionalLong since = lateSince(visit, draw);
    return since.isEmpty()
        ? ""
        : visit
            .words()
            .text("draws.more.late", "since", time(visit, draw, since.getAsLong()))
            .replace("{round}", Long.toString(draw.beaconRound().round()))
            .replace("{time}", time(visit, draw, draw.decidesAt()))
            .replace("{source}", source(visit, draw))
            .replace("{path}", "/draws/" + draw.id() + "/beacon");
  }

  /// The beacon in words: drand for its public network, else the beginning of the chain's hash.
  private static String source(Visit visit, Draw draw) {
    String chain = draw.beaconRound().chain();
    return chain.equals(BeaconChain.QUICKNET.hash())
        ? visit.wording().text("draws.source.drand")
        : visit.words().text("draws.source.chain", "chain", chain.substring(0, SHORT_HASH));
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
            .replace("{source}", source(visit, draw))
            .replace("{time}", time(visit, draw, draw.decidesAt()));
    String offer = words.text("draws.step.offer.more", "minutes", draw.terms().claimMinutes());
    Draw.State state = draw.state();
    boolean hasOpened = state.compareTo(Draw.State.OPEN) >= 0 && now >= rules.open().orElse(0);
    return List.of(
        step(visit, draw, "rules", words.text("draws.step.rules.more"), true, !hasOpened),
        step(visit, draw, "entries", entries, state.compareTo(Draw.State.OPEN) > 0, hasOpened),
        step(visit, draw, "seal", seal, draw.seal().isPresent(), state == Draw.State.SEALING),
        step(visit, draw, "dice", dice, draw.beacon().isPresent(), state == Draw.State.SEALED),
        step(
            visit,
            draw,
            "offer",
            offer,
            draw.report().isPresent(),
            state == Draw.State.DRAWN || state == Draw.State.ALLOCATING));
  }

  private static Step step(
      Visit visit, Draw draw, String name, String more, boolean done, boolean now) {
    String later = draw.state() == Draw.State.ABORTED ? "never" : "next";
    String phase = done ? "done" : now ? "now" : later;
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
    return new Fact(w.text("draws.fact." + name), text);
  }

  /// A reason in words; one that the operator made up stays as it is.
  static String reason(Visit visit, String word) {
    String key = "draws.reason." + word;
    return visit.words().keys().contains(key) ? visit.wording().text(key) : word;
  }
}
