#include "plane_case.hpp"

#include "plane.hpp"
#include <rhumb/core/failure.hpp>
#include <rhumb/core/strings.hpp>
#include <rhumb/core/yaml_node.hpp>
#include <algorithm>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <map>

namespace rhumb::problems::plane {

using core::YamlNode;
using mechanics::part;

namespace {

/// What the kernels look at; addresses stay.
struct PlaneModel {
  std::deque<Body> bodies;
  std::deque<SpringData> springs;
  std::deque<double> numbers; ///< lengths of rods, speeds of motors
  Vector gravity{0.0, 0.0};
};

/// Fills an Assembly that keeps the PlaneModel alive.
class PlaneBuilder {
public:
  std::size_t add_body(const Body& body) {
    const std::size_t index = model_->bodies.size();
    model_->bodies.push_back(body);
    Body& kept = model_->bodies.back();
    out_.parts.push_back(part(BodyKernel{&kept, &model_->gravity}, {3 * index, 3 * index + 1, 3 * index + 2}));
    out_.coordinates.insert(out_.coordinates.end(),
                            {{body.name + "_x", "m"}, {body.name + "_y", "m"}, {body.name + "_angle", "rad"}});
    out_.q.insert(out_.q.end(), {body.position[0], body.position[1], body.angle});
    out_.v.insert(out_.v.end(), {body.velocity[0], body.velocity[1], body.spin});
    add_parameter(body.name + "_mass", "kg", kept.mass, 0.0);
    add_parameter(body.name + "_inertia", "kg m2", kept.inertia, 0.0);
    return index;
  }
  template <class Kernel>
  void add_joint(const Kernel& kernel, const std::string& name) {
    out_.parts.push_back(part(kernel, coordinates_of(kernel.a, kernel.b)));
    for (std::size_t k = 0; k < kernel.constraints(); ++k)
      out_.multipliers.push_back(kernel.constraints() == 1 ? name : fmt::format("{}_{}", name, k + 1));
  }
  void add_contact(const Gap& gap, const std::string& name, double restitution) {
    out_.contacts.push_back({name, out_.parts.size(), restitution});
    add_joint(gap, name);
  }
  const SpringData* add_spring(const SpringData& data, const std::string& name) {
    SpringData& kept = model_->springs.emplace_back(data);
    add_parameter(name + "_stiffness", "N/m", kept.stiffness, 0.0);
    add_parameter(name + "_length", "m", kept.length, 0.0);
    add_parameter(name + "_damping", "N s/m", kept.damping, 0.0);
    return &kept;
  }
  const double* add_number(double value, const std::string& name, const std::string& unit, double lower) {
    double& kept = model_->numbers.emplace_back(value);
    add_parameter(name, unit, kept, lower);
    return &kept;
  }
  void set_gravity(const Vector& gravity) {
    model_->gravity = gravity;
    add_parameter("gravity_x", "m/s2", model_->gravity[0], -HUGE_VAL);
    add_parameter("gravity_y", "m/s2", model_->gravity[1], -HUGE_VAL);
  }

  const std::deque<Body>& bodies() const { return model_->bodies; }
  mechanics::Assembly& out() { return out_; }
  mechanics::Assembly finish() { return std::move(out_); }

  /// The anchor of a point of the plane at the start.
  Anchor anchor(std::optional<std::size_t> body, const Vector& at) const {
    if (!body) return {std::nullopt, at};
    const Body& b = model_->bodies[*body];
    const double c = std::cos(b.angle), s = std::sin(b.angle), x = at[0] - b.position[0], y = at[1] - b.position[1];
    return {body, {c * x + s * y, c * y - s * x}};
  }
  double q(std::size_t index) const { return out_.q[index]; }
  double angle_of(const std::optional<std::size_t>& body) const { return body ? model_->bodies[*body].angle : 0.0; }

private:
  void add_parameter(const std::string& name, const std::string& unit, double& value, double lower) {
    out_.parameters.emplace_back(dae::Parameter{.name = name, .unit = unit, .value = value, .lower = lower},
                                 [model = model_, &value](double changed) { value = changed; });
  }

  std::shared_ptr<PlaneModel> model_ = std::make_shared<PlaneModel>();
  mechanics::Assembly out_;
};

class PlaneReader {
public:
  explicit PlaneReader(const std::string& file) : top_(core::load_yaml(file, "a mechanism")) {}

  mechanics::Assembly read() {
    top_.only({"t_end", "gravity", "bodies", "joints", "springs", "contacts", "resting_speed"});
    if (top_.has("gravity")) builder_.set_gravity(vector(top_.at("gravity"), "gravity"));
    for (const auto& [name, node] : top_.at("bodies").entries("bodies")) read_body(name, node);
    if (top_.has("joints"))
      for (const auto& [name, node] : top_.at("joints").entries("joints")) read_joint(name, node);
    if (top_.has("springs"))
      for (const auto& [name, node] : top_.at("springs").entries("springs")) read_spring(name, node);
    if (top_.has("contacts"))
      for (const auto& [name, node] : top_.at("contacts").entries("contacts")) read_contact(name, node);
    auto& out = builder_.out();
    if (top_.has("resting_speed")) out.resting_speed = positive(top_.at("resting_speed"), "resting_speed");
    out.t_end = positive(top_.at("t_end"), "t_end");
    if (out.multipliers.size() - out.contacts.size() > out.coordinates.size())
      top_.reject(fmt::format("{} constraints on {} coordinates: some depend on others", out.multipliers.size(),
                              out.coordinates.size()));
    return builder_.finish();
  }

private:
  static Vector vector(const YamlNode& node, const std::string& what) {
    const auto items = node.items(what);
    if (items.size() != 2) node.reject(fmt::format("{} has two components, not {}", what, items.size()));
    return {items[0].real(what), items[1].real(what)};
  }
  static double positive(const YamlNode& node, const std::string& what) {
    const double value = node.real(what);
    if (!(value > 0.0)) node.reject(fmt::format("{} must be positive, not {:g}", what, value));
    return value;
  }
  static double or_else(const YamlNode& node, const std::string& key, double otherwise) {
    return node.has(key) ? node.at(key).real(key) : otherwise;
  }

  void read_body(const std::string& name, const YamlNode& given) {
    const YamlNode node = given.about("body " + name);
    node.only({"mass", "inertia", "position", "velocity", "angle", "spin", "force", "torque"});
    if (name == "ground") node.reject("the ground is no body: choose another name");
    Body body{.name = name};
    body.mass = positive(node.at("mass"), "mass");
    body.inertia = positive(node.at("inertia"), "inertia");
    body.position = vector(node.at("position"), "position");
    if (node.has("velocity")) body.velocity = vector(node.at("velocity"), "velocity");
    if (node.has("force")) body.force = vector(node.at("force"), "force");
    body.angle = or_else(node, "angle", 0.0);
    body.spin = or_else(node, "spin", 0.0);
    body.torque = or_else(node, "torque", 0.0);
    index_of_body_.try_emplace(name, builder_.add_body(body));
  }

  std::optional<std::size_t> body(const YamlNode& node) const {
    const std::string name = node.text("a body");
    if (name == "ground") return std::nullopt;
    if (const auto found = index_of_body_.find(name); found != index_of_body_.end()) return found->second;
    std::vector<std::string> known{"ground"};
    for (const Body& body : builder_.bodies()) known.push_back(body.name);
    node.reject(fmt::format("no body '{}'; nearest: {}", name, core::nearest(name, known)));
  }

  /// The two bodies that a joint or spring connects.
  std::array<std::optional<std::size_t>, 2> two_bodies(const YamlNode& node) const {
    const auto items = node.at("bodies").items("bodies");
    if (items.size() != 2) node.reject("`bodies` names two");
    const std::array out{body(items[0]), body(items[1])};
    if (out[0] == out[1]) items[1].reject("a body cannot be connected with itself");
    return out;
  }
  /// Two points, at the start, one on each body.
  Pair two_points(const YamlNode& node) const {
    const auto [first, second] = two_bodies(node);
    const auto items = node.at("points").items("points");
    if (items.size() != 2) node.reject("`points` has two");
    return {builder_.anchor(first, vector(items[0], "a point")), builder_.anchor(second, vector(items[1], "a point"))};
  }
  double distance(const Pair& pair) const {
    std::vector<double> q;
    for (const std::size_t i : coordinates_of(pair.a, pair.b)) q.push_back(builder_.q(i));
    const auto from = pair.point_a<double>(q), to = pair.point_b<double>(q);
    return std::hypot(to.x - from.x, to.y - from.y);
  }

  void read_joint(const std::string& name, const YamlNode& given) {
    const YamlNode node = given.about("joint " + name);
    const std::string type = node.at("type").text("a type");
    if (type == "revolute") {
      node.only({"type", "bodies", "at"});
      const auto [a, b] = two_bodies(node);
      const Vector at = vector(node.at("at"), "at");
      builder_.add_joint(Revolute{{{builder_.anchor(a, at), builder_.anchor(b, at)}}}, name);
    } else if (type == "prismatic") {
      read_prismatic(name, node);
    } else if (type == "rod") {
      node.only({"type", "bodies", "points"});
      const Pair pair = two_points(node);
      const double length = distance(pair);
      if (!(length > 0.0)) node.reject("a rod of no length: use a revolute joint");
      builder_.add_joint(Rod{{pair}, builder_.add_number(length, name + "_length", "m", 0.0)}, name);
    } else if (type == "motor") {
      node.only({"type", "bodies", "speed"});
      const auto [a, b] = two_bodies(node);
      const double* speed = builder_.add_number(node.at("speed").real("speed"), name + "_speed", "rad/s", -HUGE_VAL);
      builder_.add_joint(Motor{{{{a, {}}, {b, {}}}}, builder_.angle_of(b) - builder_.angle_of(a), speed}, name);
    } else {
      node.at("type").reject(fmt::format("no joint '{}'; nearest: {}", type,
                                         core::nearest(type, {"revolute", "prismatic", "rod", "motor"})));
    }
  }

  void read_prismatic(const std::string& name, const YamlNode& node) {
    node.only({"type", "bodies", "at", "axis"});
    const auto [a, b] = two_bodies(node);
    const Vector at = vector(node.at("at"), "at"), axis = vector(node.at("axis"), "axis");
    const double length = std::hypot(axis[0], axis[1]), turn = builder_.angle_of(a);
    if (!(length > 0.0)) node.at("axis").reject("the axis has no direction");
    const Vector normal{-axis[1] / length, axis[0] / length};
    const double c = std::cos(turn), s = std::sin(turn);
    builder_.add_joint(Prismatic{{{builder_.anchor(a, at), builder_.anchor(b, at)}},
                                 {c * normal[0] + s * normal[1], c * normal[1] - s * normal[0]},
                                 builder_.angle_of(b) - turn},
                       name);
  }

  void read_contact(const std::string& name, const YamlNode& given) {
    const YamlNode node = given.about("contact " + name);
    node.only({"bodies", "points", "normal", "radius", "restitution"});
    const Pair pair = two_points(node);
    const Vector normal = vector(node.at("normal"), "normal");
    const double length = std::hypot(normal[0], normal[1]);
    if (!(length > 0.0)) node.at("normal").reject("the normal has no direction");
    const double radius = or_else(node, "radius", 0.0), restitution = or_else(node, "restitution", 0.0);
    if (radius < 0.0) node.at("radius").reject("the radius is not negative");
    if (restitution < 0.0 || restitution > 1.0) node.at("restitution").reject("the restitution is between 0 and 1");
    const double turn = pair.a.body ? builder_.angle_of(pair.a.body) : 0.0;
    const double c = std::cos(turn), s = std::sin(turn), x = normal[0] / length, y = normal[1] / length;
    Gap gap{{pair}, {c * x + s * y, c * y - s * x}, builder_.add_number(radius, name + "_radius", "m", 0.0)};
    builder_.add_contact(gap, name, restitution);
  }

  void read_spring(const std::string& name, const YamlNode& given) {
    const YamlNode node = given.about("spring " + name);
    node.only({"bodies", "points", "stiffness", "length", "damping"});
    const Pair pair = two_points(node);
    SpringData data;
    data.stiffness = or_else(node, "stiffness", 0.0);
    data.damping = or_else(node, "damping", 0.0);
    data.length = or_else(node, "length", distance(pair));
    if (data.stiffness < 0.0 || data.damping < 0.0 || data.length < 0.0)
      node.reject("stiffness, damping and length are not negative");
    if (!(distance(pair) > 0.0)) node.reject("its two points are one at the start: it has no direction");
    builder_.add_joint(Spring{pair, builder_.add_spring(data, name)}, name);
  }

  YamlNode top_;
  PlaneBuilder builder_;
  std::map<std::string, std::size_t> index_of_body_;
};

} // namespace

mechanics::Assembly read_plane_mechanism(const std::string& file) {
  return PlaneReader(file).read();
}

mechanics::Assembly chain(std::size_t links) {
  PlaneBuilder builder;
  const double length = 1.0 / static_cast<double>(links), mass = length;
  builder.set_gravity({0.0, -9.81});
  for (std::size_t k = 0; k < links; ++k) {
    const double left = static_cast<double>(k) * length;
    const std::size_t body = builder.add_body({.name = fmt::format("link{}", k + 1),
                                               .mass = mass,
                                               .inertia = mass * length * length / 12.0,
                                               .position = {left + 0.5 * length, 0.0}});
    const std::optional<std::size_t> before = k == 0 ? std::nullopt : std::optional(body - 1);
    builder.add_joint(Revolute{{{builder.anchor(before, {left, 0.0}), builder.anchor(body, {left, 0.0})}}},
                      fmt::format("joint{}", k + 1));
  }
  auto& out = builder.out();
  out.t_end = 1.0;
  return builder.finish();
}

} // namespace rhumb::problems::plane
