package fairgate.app.pages;

import fairgate.app.pages.RefusalPage.Fact;
import fairgate.gate.appeal.Appeal;
import fairgate.gate.appeal.AppealOutcome;
import fairgate.gate.appeal.AppealService;
import fairgate.gate.appeal.SaleDecisions;
import fairgate.gate.risk.Explanation;
import fairgate.gate.risk.Remedy;
import fairgate.kernel.BidiControls;
import fairgate.kernel.Decision;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.kernel.VisibleCharacters;
import fairgate.platform.http.Reply;
import fairgate.platform.page.PageFrame;
import fairgate.platform.page.Visit;
import fairgate.platform.page.Wording;
import fairgate.platform.text.Messages;
import gg.jte.html.HtmlContent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// Renders the pages of appeals.
record AppealView(PageFrame frame) {
  record Form(String text, String contact, String receipt) {
    static final Form EMPTY = new Form("", "", "");

    /// Takes the place of bytes that are no UTF-8.
    private static final char UNREADABLE = '\uFFFD';

    /// The key of the text that says why it cannot be sent; empty when it can.
    Optional<String> problem() {
      int length = text.codePointCount(0, text.length());
      if (text.indexOf(UNREADABLE) >= 0 || contact.indexOf(UNREADABLE) >= 0) {
        return Optional.of("appeal.not_utf8");
      }
      if (BidiControls.areHidden(text) || BidiControls.areHidden(contact)) {
        return Optional.of("appeal.bad_characters");
      }
      if (text.codePoints().filter(Form::counts).count() < AppealService.SHORTEST_TEXT
          || length > AppealService.LONGEST_TEXT) {
        return Optional.of("appeal.bad_text");
      }
      return contact.length() > AppealService.LONGEST_CONTACT
          ? Optional.of("appeal.bad_contact")
          : Optional.empty();
    }

    /// What the page shows again: without invisible characters, and no longer than what can be
    /// sent.
    private Form again() {
      return new Form(
          visible(text, AppealService.LONGEST_TEXT),
          visible(contact, AppealService.LONGEST_CONTACT),
          receipt);
    }

    private static String visible(String entered, int longest) {
      return entered
          .codePoints()
          .filter(c -> !BidiControls.isHidden(c))
          .limit(longest)
          .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
          .toString();
    }

    /// Whether a character counts for the shortest letter: a visible one, or a space between words.
    private static boolean counts(int c) {
      return c == ' ' || VisibleCharacters.isVisible(c);
    }
  }

  /// The parts of the page that follow its facts.
  enum Part {
    /// The form of an appeal, with the form for a receipt folded.
    APPEAL,
    RECEIPT,
    NONE
  }

  /// The content of the page.
  ///
  /// @param decision the id of the decision
  /// @param good what has been done; empty for nothing
  /// @param problem empty for none
  /// @param receipt shown once; empty for none
  /// @param product the sale whose table is linked; empty for none
  record Model(
      String decision,
      String more,
      String good,
      String problem,
      List<Fact> facts,
      Part part,
      Form form,
      String receipt,
      String product) {}

  /// The form for an appeal, or for a receipt when one was sent.
  ///
  /// @param none the decision; empty when nothing is known about it now
  /// @param form as it was sent
  /// @param problem empty for none
  Reply form(
      Visit visit,
      int status,
      String decision,
      Optional<AppealOutcome.None> none,
      Form form,
      String problem) {
    return page(
        visit,
        status,
        new Model(
            decision,
            visit.wording().text("appeal.more"),
            "",
            problem,
            none.map(known -> reasons(visit, known)).orElse(List.of()),
            form.receipt().isEmpty() ? Part.APPEAL : Part.RECEIPT,
            form.again(),
            "",
            ""));
  }

  private static List<Fact> reasons(Visit visit, AppealOutcome.None none) {
    List<Fact> facts = new ArrayList<>(reasons(visit, none.code(), none.told()));
    if (none.other()) {
      facts.add(fact(visit.wording(), "appeal.browser", visit.wording().text("appeal.stranger")));
    }
    return facts;
  }

  /// The page for somebody who must give the receipt.
  ///
  /// @param problem empty for none
  Reply others(Visit visit, int status, String decision, String code, String problem) {
    return page(
        visit,
        status,
        new Model(
            decision,
            visit.wording().text("appeal.others"),
            "",
            problem,
            reasons(visit, code, Explanation.NONE),
            Part.RECEIPT,
            Form.EMPTY,
            "",
            ""));
  }

  /// The state of an appeal.
  ///
  /// @param receipt shown now and never again; empty when it was shown before
  /// @param problem empty for none
  Reply state(Visit visit, int status, AppealOutcome.Own own, String receipt, String problem) {
    Wording wording = visit.wording();
    Appeal appeal = own.appeal();
    Explanation told = own.told();
    List<Fact> facts = new ArrayList<>();
    facts.add(reason(visit, appeal.matter().code(), told));
    if (told.reason() != null && appeal.ruling() == null) {
      facts.add(fact(wording, "appeal.help", help(visit, told)));
    }
    facts.add(fact(wording, "appeal.number", Long.toString(appeal.id())));
    facts.add(fact(wording, "appeal.filed", time(wording, appeal.filedAt())));
    Appeal.Ruling ruling = appeal.ruling();
    if (ruling == null) {
      facts.add(fact(wording, "appeal.due", due(visit, appeal.dueAt())));
    } else {
      facts.add(fact(wording, "appeal.decided", time(wording, ruling.at())));
      if (!ruling.answer().isEmpty()) {
        facts.add(fact(wording, "appeal.answer", ruling.answer()));
      }
    }
    ProductId product = appeal.matter().product();
    return page(
        visit,
        status,
        new Model(
            appeal.matter().decision(),
            stateText(wording, own),
            receipt.isEmpty() ? "" : wording.text("appeal.sent"),
            problem,
            facts,
            Part.NONE,
            Form.EMPTY,
            receipt,
            product == null ? "" : product.value()));
  }

  /// The page for an id of no decision of this server.
  Reply unknown(Visit visit) {
    return page(
        visit,
        404,
        new Model(
            "",
            visit.wording().text("appeal.unknown"),
            "",
            "",
            List.of(),
            Part.NONE,
            Form.EMPTY,
            "",
            ""));
  }

  Reply table(Visit visit, ProductId product, SaleDecisions.Table table) {
    Wording wording = visit.wording();
    List<Fact> facts =
        List.of(
            fact(wording, "appeal.table.decisions", number(wording, table.decisions())),
            fact(wording, "appeal.table.appeals", number(wording, table.appeals())),
            fact(wording, "appeal.table.decided", number(wording, table.decided())),
            fact(wording, "appeal.table.won", number(wording, table.won())),
            fact(
                wording,
                "appeal.table.median",
                table.medianSeconds() == SaleDecisions.FEW
                    ? "\u2013"
                    : wording.span(Duration.ofSeconds(table.medianSeconds()))));
    HtmlContent main =
        out -> JteappealTableGenerated.render(out, null, wording, product.value(), facts);
    return frame.reply(
        visit,
        200,
        PageFrame.Content.plain(wording.text("appeal.table") + " \u00b7 Fairgate", main));
  }

  private static String number(Wording wording, long number) {
    return number == SaleDecisions.FEW ? wording.text("appeal.table.few") : wording.number(number);
  }

  private Reply page(Visit visit, int status, Model model) {
    HtmlContent main = out -> JteappealGenerated.render(out, null, visit.wording(), model);
    String title = visit.wording().text("appeal.title") + " \u00b7 Fairgate";
    return frame
        .reply(visit, status, PageFrame.Content.plain(title, main))
        .header("cache-control", "no-store");
  }

  /// The coarse reason of a decision, and what would help.
  private static List<Fact> reasons(Visit visit, String code, Explanation told) {
    boolean explained = isRefusal(code) && Decision.isAppealable(ErrorCode.valueOf(code));
    Wording wording = visit.wording();
    String help = wording.text("appeal.help." + (explained ? code : "demoted"));
    return List.of(
        reason(visit, code, told),
        fact(wording, "appeal.help", told.reason() == null ? help : help(visit, told)));
  }

  private static Fact reason(Visit visit, String code, Explanation told) {
    Wording wording = visit.wording();
    String other = code.equals(Appeal.LOST) ? "appeal.lost" : "appeal.demoted";
    String reason =
        isRefusal(code) ? Messages.text(visit.language(), "error." + code) : wording.text(other);
    return fact(
        wording, "appeal.reason", wording.sentences(reason, told.reasonText(visit.language())));
  }

  private static boolean isRefusal(String code) {
    return Arrays.stream(ErrorCode.values()).anyMatch(it -> it.name().equals(code));
  }

  /// The page is that of the appeal, so it does not advise to appeal.
  private static String help(Visit visit, Explanation told) {
    List<Remedy> other = told.help().stream().filter(it -> it != Remedy.APPEAL).toList();
    List<String> texts = new Explanation(told.reason(), other).helpTexts(visit.language());
    return texts.isEmpty()
        ? visit.wording().text("appeal.help.only")
        : visit.wording().sentences(texts);
  }

  private static String stateText(Wording wording, AppealOutcome.Own own) {
    String text = state(wording, own.appeal());
    return own.banned() ? wording.sentences(text, wording.text("appeal.state.banned")) : text;
  }

  private static String state(Wording wording, Appeal appeal) {
    return switch (appeal.state()) {
      case OPEN -> wording.text("appeal.state.open");
      case GRANTED -> wording.text("appeal.state.granted");
      case CLOSED -> wording.text("appeal.state.closed");
      case REFUSED ->
          wording.sentences(wording.text("appeal.state.refused"), grade(wording, appeal.ruling()));
    };
  }

  private static String grade(Wording wording, Appeal.@Nullable Ruling ruling) {
    Appeal.Grade grade = ruling == null ? null : ruling.grade();
    return grade == null ? "" : wording.text("appeal.grade." + grade.word());
  }

  private static String due(Visit visit, long at) {
    Duration left = Duration.between(visit.wording().now(), Instant.ofEpochMilli(at));
    return left.isPositive()
        ? time(visit.wording(), at)
            + " ("
            + visit.words().text("refused.in", "time", visit.wording().span(left))
            + ")"
        : time(visit.wording(), at);
  }

  private static Fact fact(Wording wording, String label, String text) {
    return new Fact(wording.text(label), text, false, "");
  }

  private static String time(Wording wording, long at) {
    return wording.time(Instant.ofEpochMilli(at));
  }
}
