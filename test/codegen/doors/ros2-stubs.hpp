// What plugins for ROS 2 see of ROS, Eigen and ros2_control, as far as generated sources use it; written for tests, by the documentation.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace Eigen
{
struct VectorXd : std::vector<double>
{
  VectorXd() = default;
  explicit VectorXd(int n) : std::vector<double>(static_cast<size_t>(n)) {}
  VectorXd(std::initializer_list<double> own) : std::vector<double>(own) {}
  static VectorXd Zero(int n) { return VectorXd(n); }
};
struct MatrixXd
{
  MatrixXd(int rows, int columns) : columns_(columns), values_(static_cast<size_t>(rows * columns)) {}
  double & operator()(int i, int j) { return values_[static_cast<size_t>(i * columns_ + j)]; }
  int columns_;
  std::vector<double> values_;
};
template <typename> struct Map
{
  Map(const double * from, int n) : own(n) { std::copy(from, from + n, own.begin()); }
  operator VectorXd() const { return own; }
  VectorXd own;
};
}  // namespace Eigen

namespace rclcpp
{
struct Time {};
struct Duration
{
  double own;
  double seconds() const { return own; }
};
struct SystemDefaultsQoS {};
struct Logger {};
struct Parameter
{
  std::variant<double, std::string, std::vector<double>, std::vector<std::string>> own;
  double as_double() const { return std::get<double>(own); }
  std::string as_string() const { return std::get<std::string>(own); }
  std::vector<double> as_double_array() const { return std::get<std::vector<double>>(own); }
  std::vector<std::string> as_string_array() const { return std::get<std::vector<std::string>>(own); }
};
namespace node_interfaces
{
struct NodeParametersInterface
{
  using ConstSharedPtr = std::shared_ptr<const NodeParametersInterface>;
  std::map<std::string, Parameter> all;
  bool has_parameter(const std::string & name) const { return all.count(name) > 0; }
  Parameter get_parameter(const std::string & name) const { return all.at(name); }
};
}  // namespace node_interfaces
template <typename Message> struct Subscription
{
  using SharedPtr = std::shared_ptr<Subscription>;
  std::function<void(std::shared_ptr<const Message>)> callback;
};
}  // namespace rclcpp
#define RCLCPP_ERROR(logger, ...) ((void)(logger), std::printf(__VA_ARGS__), std::printf("\n"))

namespace trajectory_msgs::msg
{
struct JointTrajectoryPoint
{
  std::vector<double> positions, velocities, accelerations, effort;
};
}  // namespace trajectory_msgs::msg

namespace rclcpp_lifecycle
{
struct State {};
struct LifecycleNode
{
  std::map<std::string, rclcpp::Parameter> parameters;
  std::function<void(std::shared_ptr<const trajectory_msgs::msg::JointTrajectoryPoint>)> send;
  rclcpp::Parameter get_parameter(const std::string & name) const { return parameters.at(name); }
  rclcpp::Logger get_logger() const { return {}; }
  template <typename Message, typename Callback>
  typename rclcpp::Subscription<Message>::SharedPtr create_subscription(
    const std::string &, const rclcpp::SystemDefaultsQoS &, Callback callback)
  {
    send = callback;
    return std::make_shared<rclcpp::Subscription<Message>>();
  }
};
}  // namespace rclcpp_lifecycle

namespace hardware_interface
{
struct LoanedStateInterface
{
  double own;
#ifdef HUMBLE
  double get_value() const { return own; }
#else
  template <typename T = double> [[nodiscard]] std::optional<T> get_optional(unsigned = 10) const { return own; }
#endif
};
struct LoanedCommandInterface
{
  double * own;
#ifdef HUMBLE
  void set_value(double value) { *own = value; }
#else
  template <typename T> [[nodiscard]] bool set_value(const T & value, unsigned = 10)
  {
    *own = value;
    return true;
  }
#endif
};
}  // namespace hardware_interface

namespace controller_interface
{
enum class CallbackReturn { SUCCESS, FAILURE, ERROR };
enum class return_type : std::uint8_t { OK, ERROR };
enum class interface_configuration_type : std::uint8_t { ALL, INDIVIDUAL, NONE };
struct InterfaceConfiguration
{
  interface_configuration_type type;
  std::vector<std::string> names = {};
};
class ControllerInterface
{
public:
  virtual ~ControllerInterface() = default;
  virtual InterfaceConfiguration command_interface_configuration() const = 0;
  virtual InterfaceConfiguration state_interface_configuration() const = 0;
  virtual CallbackReturn on_init() = 0;
  virtual CallbackReturn on_configure(const rclcpp_lifecycle::State &) = 0;
  virtual CallbackReturn on_activate(const rclcpp_lifecycle::State &) = 0;
  virtual CallbackReturn on_deactivate(const rclcpp_lifecycle::State &) = 0;
  virtual return_type update(const rclcpp::Time &, const rclcpp::Duration &) = 0;
  std::shared_ptr<rclcpp_lifecycle::LifecycleNode> get_node() { return node_; }
  std::shared_ptr<const rclcpp_lifecycle::LifecycleNode> get_node() const { return node_; }
  template <typename T> T auto_declare(const std::string & name, const T & value)
  {
    node_->parameters.insert({name, rclcpp::Parameter{value}});
    return value;
  }
  std::vector<hardware_interface::LoanedCommandInterface> command_interfaces_;
  std::vector<hardware_interface::LoanedStateInterface> state_interfaces_;

private:
  std::shared_ptr<rclcpp_lifecycle::LifecycleNode> node_ = std::make_shared<rclcpp_lifecycle::LifecycleNode>();
};
}  // namespace controller_interface

namespace inverse_dynamics_solver
{
class InverseDynamicsSolver
{
public:
  virtual ~InverseDynamicsSolver() = default;
  virtual void initialize(
    rclcpp::node_interfaces::NodeParametersInterface::ConstSharedPtr = nullptr, const std::string & = "",
    const std::string & = "") = 0;
  virtual Eigen::MatrixXd getInertiaMatrix(const Eigen::VectorXd &) const = 0;
  virtual Eigen::VectorXd getCoriolisVector(const Eigen::VectorXd &, const Eigen::VectorXd &) const = 0;
  virtual Eigen::VectorXd getGravityVector(const Eigen::VectorXd &) const = 0;
  virtual Eigen::VectorXd getFrictionVector(const Eigen::VectorXd &) const = 0;
  virtual Eigen::VectorXd getTorques(
    const Eigen::VectorXd &, const Eigen::VectorXd &, const Eigen::VectorXd &) const = 0;
};
}  // namespace inverse_dynamics_solver

#define PLUGINLIB_EXPORT_CLASS(type, base) static_assert(std::is_base_of<base, type>::value, #type);
