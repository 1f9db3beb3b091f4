package fairgate.line.talk;

import fairgate.kernel.ProductId;
import fairgate.kernel.ServiceUnavailable;
import fairgate.kernel.SessionId;
import fairgate.line.api.ButtonAction;
import fairgate.line.api.LineMessage;
import fairgate.line.talk.Commands.Command;
import fairgate.platform.text.Language;
import fairgate.platform.text.Messages;
import fairgate.queue.QueueService;
import fairgate.sale.ProductRoutes;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The bot's answers. All methods block, so they belong on virtual threads. A repeated message gets
/// the same kind of answer and has no further effect.
public final class Talk implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Talk.class);
  private static final Duration WEATHER_LIMIT = Duration.ofSeconds(15);

  private final LanguageStore languages;
  private final LineClaims claims;
  private final Commands commands;
  private final UnaryOperator<String> claimant;
  private final SaleTalk sales;
  private final WeatherTalk weather;
  private final Runnable closeWeather;

  /// @param weatherUrl base URL of an Open-Meteo service; empty disables weather
  /// @param claimant maps a LINE user id to the pseudonym for claims
  public Talk(
      String weatherUrl,
      ProductRoutes products,
      QueueService queue,
      PlaceBindings bound,
      LanguageStore languages,
      LineClaims claims,
      UnaryOperator<String> claimant) {
    this.languages = languages;
    this.claims = claims;
    this.commands = new Commands(claims);
    this.claimant = claimant;
    this.sales = new SaleTalk(products, queue, bound);
    if (weatherUrl.isEmpty()) {
      this.weather = new WeatherTalk(null);
      this.closeWeather = () -> {};
    } else {
      OpenMeteo meteo = new OpenMeteo(weatherUrl, WEATHER_LIMIT);
      this.weather = new WeatherTalk(meteo);
      this.closeWeather = meteo::close;
    }
  }

  /// The answer: at most five messages, none when the event needs no answer. On a failure, the
  /// answer is an error text.
  public List<LineMessage> answer(Chat chat, Incoming incoming) {
    if (incoming instanceof Incoming.Notice(String text)) {
      return List.of(LineMessage.text(text));
    }
    Language language = languages.of(chat);
    try {
      return incoming instanceof Incoming.Turn(var product, var session)
          ? sales.turn(product, session, language).stream().toList()
          : answer(chat, incoming, commands.of(chat, incoming), language);
    } catch (ServiceUnavailable e) {
      LOG.warn("LINE bot could not answer: a service is unavailable", e);
      return List.of(LineMessage.text(Messages.text(language, "error.SERVICE_UNAVAILABLE")));
    } catch (RuntimeException e) {
      LOG.error("LINE bot could not answer", e);
      return List.of(LineMessage.text(Messages.text(language, "line.sorry")));
    }
  }

  /// The notice for a user whose previous message is still in progress.
  public List<LineMessage> notice(Chat chat, Incoming incoming) {
    Language language = languages.of(chat);
    boolean weatherAsked = commands.of(chat, incoming).isWeather();
    return List.of(
        LineMessage.text(
            Messages.text(language, weatherAsked ? "line.busy.weather" : "line.busy")));
  }

  /// Whether the event is addressed to the bot.
  public boolean concerns(Chat chat, Incoming incoming) {
    return switch (incoming) {
      case Incoming.Text _, Incoming.Postback _ ->
          !(commands.of(chat, incoming) instanceof Command.Unknown);
      case Incoming.Location _ -> chat.isPrivate();
      case Incoming.Followed _,
          Incoming.Unfollowed _,
          Incoming.Invited _,
          Incoming.Turn _,
          Incoming.Notice _ ->
          true;
    };
  }

  public boolean takesTime(Chat chat, Incoming incoming) {
    return commands.of(chat, incoming).takesTime();
  }

  @Override
  public void close() {
    closeWeather.run();
  }

  private List<LineMessage> answer(
      Chat chat, Incoming incoming, Command command, Language language) {
    return switch (command) {
      case Command.Help _ -> List.of(help(incoming, language));
      case Command.Sales(int from) -> sales.sales(chat, from, language);
      case Command.Places _ -> List.of(sales.places(chat, language));
      case Command.JoinSale(var product) -> sales.enter(chat, product, language);
      case Command.HowToClaim _ ->
          List.of(
              message(
                  claims.takesOtherOrders() ? "line.claim.how" : "line.claim.how_own", language));
      case Command.Claim claim -> List.of(claim(chat, claim, language));
      case Command.ChooseLanguage _ ->
          List.of(
              new LineMessage.Text(
                  Messages.text(language, "line.language.choose"), Menu.languages()));
      case Command.SetLanguage(Language chosen) -> List.of(speak(chat, chosen));
      case Command.HowToAskWeather _ -> List.of(weather.how(language));
      case Command.WeatherAt(double latitude, double longitude) ->
          List.of(weather.at(latitude, longitude, language));
      case Command.WeatherIn(String place) -> List.of(weather.in(place, language));
      case Command.Unknown _ -> List.of();
    };
  }

  private static LineMessage help(Incoming incoming, Language language) {
    String key =
        incoming instanceof Incoming.Followed
            ? "line.greeting"
            : incoming instanceof Incoming.Invited ? "line.greeting.group" : "line.help";
    return message(key, language);
  }

  private static LineMessage message(String key, Language language) {
    return new LineMessage.Text(Messages.text(language, key), Menu.quick(language));
  }

  private LineMessage speak(Chat chat, Language chosen) {
    String user = chat.userId();
    if (user != null) {
      languages.choose(user, chosen);
    }
    return message("line.language.chosen", chosen);
  }

  private LineMessage claim(Chat chat, Command.Claim command, Language language) {
    String user = chat.userId();
    // Whoever reads a code can redeem it, so codes are never shown in a group.
    if (!chat.isPrivate() || user == null) {
      return LineMessage.text(Messages.text(language, "line.claim.private"));
    }
    LineClaims.Attempt attempt =
        new LineClaims.Attempt(command.text(), command.product(), claimant.apply(user));
    return switch (claims.claim(attempt, language)) {
      case LineClaims.Outcome.Claimed(List<String> codes) -> {
        List<String> lines = new ArrayList<>();
        lines.add(Messages.text(language, "line.claim.done", codes.size()));
        lines.addAll(codes);
        yield LineMessage.text(String.join("\n", lines));
      }
      case LineClaims.Outcome.WhichProduct(String order, var products) ->
          new LineMessage.Text(
              Messages.text(language, "line.claim.which", order),
              choice(order, products, command.from(), language));
      case LineClaims.Outcome.Refused(String why) ->
          new LineMessage.Text(why, List.of(help(language)));
      case LineClaims.Outcome.NotOffered() ->
          new LineMessage.Text(Messages.text(language, "line.claim.off"), List.of(help(language)));
    };
  }

  /// A page of products. The last button leads to the next page; the last page leads to the first.
  private static List<ButtonAction> choice(
      String order, List<LineClaims.Outcome.Product> products, int from, Language language) {
    int start = from < products.size() ? from : 0;
    int end = Menu.pageEnd(start, products.size(), LineMessage.QUICK);
    List<ButtonAction> choice = new ArrayList<>();
    products.subList(start, end).forEach(one -> choice.add(product(order, one)));
    if (start > 0 || end < products.size()) {
      choice.add(
          new ButtonAction.Post(
              Messages.text(language, "line.label.more"),
              "action=claim&order=" + encoded(order) + "&from=" + end));
    }
    return choice;
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static ButtonAction product(String order, LineClaims.Outcome.Product one) {
    return new ButtonAction.Post(
        one.name(), "action=claim&product=" + one.id() + "&order=" + encoded(order));
  }

  private static ButtonAction help(Language language) {
    return Menu.post(language, "help");
  }

  public interface LanguageStore {
    /// The language of the chat: the user's choice, else the language of the LINE app, else the
    /// default. May block.
    Language of(Chat chat);

    void choose(String userId, Language language);
  }

  /// The queue sessions that belong to a LINE user.
  public interface PlaceBindings {
    /// The user's sessions, including those that are over. May block.
    List<SessionId> sessions(String userId);

    /// A URL that leads the user into the sale and binds the first session created there to the
    /// user.
    String joinLink(String userId, ProductId product);

    /// The URL of a sale, which binds no user.
    String saleLink(ProductId product);
  }

  static final class Menu {
    private Menu() {}

    static List<ButtonAction> quick(Language language) {
      return List.of(
          post(language, "sales"),
          post(language, "place"),
          new ButtonAction.AskLocation(Messages.text(language, "line.label.location")),
          post(language, "claim"),
          post(language, "language"),
          post(language, "help"));
    }

    static List<ButtonAction> languages() {
      return List.of(
          new ButtonAction.Post("繁體中文", "action=speak&to=zh-Hant"),
          new ButtonAction.Post("简体中文", "action=speak&to=zh-Hans"),
          new ButtonAction.Post("English", "action=speak&to=en"));
    }

    static ButtonAction post(Language language, String action) {
      String label = Messages.text(language, "line.label." + action);
      return new ButtonAction.Post(label, "action=" + action);
    }

    /// The end index of a page. One position is reserved for the button of the next page, unless
    /// all items fit on one page.
    static int pageEnd(int start, int total, int max) {
      return start == 0 && total <= max ? total : Math.min(total, start + max - 1);
    }
  }
}
